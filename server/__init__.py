"""The registry and the local origin (ASGI). Uses the rules of ``client``; nothing in ``client`` knows of it."""
