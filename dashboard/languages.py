"""The languages that the pages speak, as far as the project offers them."""

from django.conf import settings
from django.utils.translation import get_language_info

SPOKEN = ("en", "id")
MIDDLEWARE = "django.middleware.locale.LocaleMiddleware"


def list_languages() -> list[tuple[str, str]]:
    """Return code and own name of each language to choose from; none where the project does not let people choose."""
    if MIDDLEWARE not in settings.MIDDLEWARE:
        return []
    offered = [code for code, _ in settings.LANGUAGES if code in SPOKEN]
    return [(code, str(get_language_info(code)["name_local"])) for code in offered]
