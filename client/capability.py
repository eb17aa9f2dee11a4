"""The closed list of what a mod's script may ask for."""

from __future__ import annotations

MOD_CAPABILITIES = frozenset(
    {
        "log",
        "ui",
        "read-context",
        "read-world",
        "read-hidden-information",
        "read-cards",
        "read-decks",
        "subscribe-events",
        "spawn-object",
        "object-action",
        "plugin-call",
        "host-message",
    }
)
