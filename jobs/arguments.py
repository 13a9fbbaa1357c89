"""A call's arguments: keyword only, small JSON that names things, checked before anything is enqueued."""

import hashlib
import inspect
import json
from typing import Any

from django.utils.translation import gettext as _

from jobs import names
from jobs.conf import conf

PLAIN_TYPES = (bool, int, float, str)
DIGEST_LENGTH = 32


class InvalidArguments(ValueError):
    """Arguments a job cannot be called with; `problems` has a sentence for each, by name."""

    def __init__(self, job: str, problems: dict[str, str]) -> None:
        self.problems = problems
        super().__init__(f"{job}: " + " ".join(problems.values()))


def check_arguments(job: str, signature: inspect.Signature, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return `arguments` completed by their defaults.

    Raises InvalidArguments for unknown, missing, wrongly typed (where the annotation is a plain type), unserialisable
    and too large ones: `MANDOR["MAX_ARGUMENTS"]` bytes of JSON for all of them.
    """
    parameters = signature.parameters
    takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    named = {name: parameter for name, parameter in parameters.items() if parameter.kind is not parameter.VAR_KEYWORD}
    problems = {
        name: _("%(name)r is not an argument; it takes %(named)s.")
        % {"name": name, "named": ", ".join(named) or _("none")}
        for name in arguments
        if name not in named and not takes_any
    }
    for name, parameter in named.items():
        problem = _problem(name, parameter, arguments)
        if problem:
            problems[name] = problem
    if not problems:
        problems = _unserialisable(arguments) or _too_large(arguments)
    if problems:
        raise InvalidArguments(job, problems)
    defaults = {name: p.default for name, p in named.items() if p.default is not p.empty}
    return defaults | arguments


def check_names(job: str, arguments: dict[str, Any], *made: str | None) -> None:
    """Check the names that were made from arguments, of a resource or a cache entry, as long as pages can carry them.

    Raises InvalidArguments for one of over 500 characters, with the longest argument.
    """
    if all(names.fits(name) for name in made if name):
        return
    longest = max(arguments, key=lambda name: len(str(arguments[name])), default="")
    problem = _("%(name)r is too long: the resource or cache entry named after it may have %(limit)s characters.")
    raise InvalidArguments(job, {longest: problem % {"name": longest, "limit": names.LONGEST}})


def encode_arguments(arguments: dict[str, Any]) -> str:
    """Return the arguments as compact JSON."""
    return json.dumps(arguments, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest_arguments(arguments: dict[str, Any]) -> str:
    """Return a short name for these arguments, the same in whatever order they are given."""
    text = encode_arguments({name: arguments[name] for name in sorted(arguments)})
    return hashlib.sha256(text.encode()).hexdigest()[:DIGEST_LENGTH]


def _problem(name: str, parameter: inspect.Parameter, arguments: dict[str, Any]) -> str:
    if name not in arguments:
        return _("%(name)r is missing.") % {"name": name} if parameter.default is parameter.empty else ""
    expected, given = parameter.annotation, arguments[name]
    if expected not in PLAIN_TYPES or type(given) is expected or (expected is float and type(given) is int):
        return ""
    kinds = {"name": name, "expected": expected.__name__, "given": type(given).__name__}
    return _("%(name)r must be %(expected)s, not %(given)s.") % kinds


def _unserialisable(arguments: dict[str, Any]) -> dict[str, str]:
    problems = {}
    for name, value in arguments.items():
        try:
            encode_arguments({name: value}).encode()
        except (TypeError, ValueError) as error:
            problems[name] = _("%(name)r cannot be written as JSON (%(error)s).") % {"name": name, "error": error}
    return problems


def _too_large(arguments: dict[str, Any]) -> dict[str, str]:
    limit = conf().MAX_ARGUMENTS
    sizes = {name: len(encode_arguments({name: value}).encode()) for name, value in arguments.items()}
    if sum(sizes.values()) <= limit:
        return {}
    largest = max(sizes, key=sizes.__getitem__)
    problem = _(
        "%(name)r is too large (%(size)s bytes; all arguments together may have %(limit)s). "
        "Name the resource and let the job read its data."
    )
    return {largest: problem % {"name": largest, "size": f"{sizes[largest]:,}", "limit": f"{limit:,}"}}
