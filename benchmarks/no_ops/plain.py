"""A job that does nothing, for RQ's own worker."""


def nothing() -> None:
    pass
