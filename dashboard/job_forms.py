"""A registered job's arguments as the fields of a form, made from its signature, and back again."""

import inspect
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from django.http import HttpRequest
from django.utils.translation import gettext as _

from jobs.arguments import InvalidArguments
from jobs.masking import MASKED, has_secrets, mask
from jobs.registry import CoordinatedJob

KINDS = {bool: "flag", int: "number", float: "decimal", str: "text"}
JSON = "json"
PREFIX = "argument-"
NEW_ID = re.compile(r"[0-9a-f]{32}")
MANY_LINES = 60


@dataclass(frozen=True, slots=True)
class ArgumentField:
    """One argument: how it is typed, what stands there, and what is wrong with that.

    `hides` says that secrets in it are masked: left as it is drawn, the value is kept.
    """

    name: str
    kind: str
    text: str
    required: bool
    hides: bool = False
    problem: str = ""

    @property
    def field(self) -> str:
        return PREFIX + self.name

    @property
    def lines(self) -> int:
        return min(12, self.text.count("\n") + 1) if self.kind == JSON or len(self.text) > MANY_LINES else 0


def new_job_id(request: HttpRequest) -> str:
    """Return the id that the form carries for the job it makes, or a new one: sent twice it makes one job."""
    asked = request.POST.get("new_id", "")
    return asked if NEW_ID.fullmatch(asked) else uuid4().hex


def draw_fields(job: CoordinatedJob[..., Any], values: Mapping[str, Any]) -> list[ArgumentField]:
    """Return the fields with these values in them, and the defaults where there are none; secrets are masked."""
    given = {name: _draw(name, parameter, values) for name, parameter in _named(job).items()}
    further = {name: value for name, value in values.items() if name not in given}
    fields = list(given.values())
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in job.signature.parameters.values()):
        fields += [_filled(name, JSON, value, required=False) for name, value in further.items()]
    return fields


def keep_typed(
    fields: list[ArgumentField], posted: Mapping[str, str], problems: Mapping[str, str]
) -> list[ArgumentField]:
    """Return the fields with what was typed into them, each with what is wrong with it."""
    return [
        ArgumentField(
            name=field.name,
            kind=field.kind,
            text=_posted(field, posted),
            required=field.required,
            hides=field.hides,
            problem=problems.get(field.name, ""),
        )
        for field in fields
    ]


def read_arguments(
    job: CoordinatedJob[..., Any],
    fields: list[ArgumentField],
    posted: Mapping[str, str],
    known: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the arguments that were typed; a field that hides secrets and was left as it is keeps its `known` value.

    Raises InvalidArguments, with all that is wrong.
    """
    arguments, problems = {}, {}
    for field in fields:
        typed = _posted(field, posted)
        if field.hides and typed == field.text:
            arguments[field.name] = known[field.name]
        elif field.kind in ("text", "flag") or typed.strip():
            try:
                arguments[field.name] = _read(field, typed)
            except ValueError as error:
                problems[field.name] = str(error)
    try:
        job.bind((), arguments)
    except InvalidArguments as error:
        problems = error.problems | problems
    if problems:
        raise InvalidArguments(job.name, problems)
    return arguments


def _named(job: CoordinatedJob[..., Any]) -> dict[str, inspect.Parameter]:
    parameters = job.signature.parameters
    return {name: parameter for name, parameter in parameters.items() if parameter.kind is parameter.KEYWORD_ONLY}


def _draw(name: str, parameter: inspect.Parameter, values: Mapping[str, Any]) -> ArgumentField:
    required = parameter.default is parameter.empty
    kind = KINDS.get(parameter.annotation, JSON)
    if name in values:
        return _filled(name, kind, values[name], required=required)
    return ArgumentField(name, kind, "" if required else _text(kind, parameter.default), required)


def _filled(name: str, kind: str, value: Any, *, required: bool) -> ArgumentField:
    hides = has_secrets({name: value})
    fits = not hides and (kind == JSON or KINDS.get(type(value)) == kind)
    shown = mask({name: value})[name] if hides else value
    return ArgumentField(name, kind if fits else JSON, _text(kind if fits else JSON, shown), required, hides)


def _text(kind: str, value: Any) -> str:
    if kind == "text":
        return str(value)
    try:
        return json.dumps(value, ensure_ascii=False, indent=2 if isinstance(value, dict | list) else None)
    except (TypeError, ValueError):
        return ""


def _posted(field: ArgumentField, posted: Mapping[str, str]) -> str:
    typed = posted.get(field.field, "false" if field.kind == "flag" else "").replace("\r\n", "\n")
    return typed if field.kind == "text" else typed.strip()


def _read(field: ArgumentField, typed: str) -> Any:
    if field.kind == "text":
        return typed
    if field.hides and MASKED in typed:
        raise ValueError(_("Leave it as it was, or write all of it anew: it still has masked parts."))
    try:
        value = json.loads(typed, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise ValueError(_EXPECTED[field.kind]()) from None
    if field.kind == "number" and type(value) is not int:
        raise ValueError(_EXPECTED[field.kind]())
    return value


def _no_number(name: str) -> None:
    raise ValueError(name)


_EXPECTED = {
    "flag": lambda: _("It is yes or no."),
    "number": lambda: _("It must be a whole number."),
    "decimal": lambda: _("It must be a number."),
    JSON: lambda: _("It must be JSON: a text stands in double quotes."),
}
