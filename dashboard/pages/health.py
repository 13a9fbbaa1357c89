"""/healthz, for load balancers: whether this process reaches what it needs. Anybody may ask."""

from django.db import Error, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from jobs.reads.health import list_away


@require_safe
@never_cache
def show(_: HttpRequest) -> JsonResponse:
    away = [*list_away(), *([] if _database_answers() else ["database"])]
    if away:
        return JsonResponse({"status": "unavailable", "away": away}, status=503)
    return JsonResponse({"status": "ok"})


def _database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error:
        return False
    return True
