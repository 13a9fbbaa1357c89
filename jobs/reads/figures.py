"""Numbers as people write them, in the language of whoever looks."""

from django.utils.formats import number_format


def figure(value: float, decimals: int = 0) -> str:
    """Return a number with so many decimals and its thousands apart: `1,284`."""
    return number_format(f"{value:.{decimals}f}", decimals, force_grouping=True)
