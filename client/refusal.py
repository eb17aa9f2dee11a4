"""Why a script's call did not happen."""

from __future__ import annotations


class Refusal(Exception):
    """A call that is answered with no: its promise rejects in the script with ``code`` and ``message``.

    Codes: no-capability, host-only, unknown-call, wrong-argument, unknown-object, too-large, too-many.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
