"""Why nothing was started, in one line for people."""


class CannotStart(RuntimeError):
    """Something outside is in the way; the message names it and says what to do."""
