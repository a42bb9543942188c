"""What callers pass, checked before it is used: types, valid Unicode, times and numbers that can be computed with.

`guarded` reads the annotations of a method, so that what is wrong is refused in one place, in one line, before anything
is read or written. Left alone is what the method checks itself, or what is no plain value.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache, wraps
from itertools import chain
from typing import Any, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints, is_typeddict

from oroi_graph.errors import InputError

P = ParamSpec("P")
R = TypeVar("R")
YEARS = range(2, 9_999)  # so that a day more, and any offset, is still a time
LARGEST = 2**31  # of whole numbers
_PLAIN: Mapping[type, str] = {str: "text", datetime: "a datetime", int: "a whole number", bool: "True or False"}


def guarded(*own: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A method whose plain arguments are checked; own: names of those that it checks itself. Raises InputError."""

    def decorate(method: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(method)

        @wraps(method)
        def called(*args: P.args, **kwargs: P.kwargs) -> R:
            expected = _expected(method)
            try:
                for name, value in chain(zip(signature.parameters, args, strict=False), kwargs.items()):
                    if name in expected and name not in own:
                        _check(name, value, expected[name])
            except InputError:
                if _fits(signature, args, kwargs):
                    raise  # of a wrong call the method itself says which argument is missing or unknown
            return method(*args, **kwargs)

        return called

    return decorate


def check_time(name: str, value: datetime) -> datetime:
    """`value` if it can be computed with; raises InputError for a time at the ends of the calendar."""
    if value.year not in YEARS:
        raise InputError(f"{name} must lie in the years {YEARS[0]} to {YEARS[-1]}, got the year {value.year}")
    return value


def _fits(signature: inspect.Signature, args: Any, kwargs: Any) -> bool:
    """Whether a call names all arguments that a method needs, and none that it does not know."""
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        return False
    return True


@cache
def _expected(method: Callable[..., object]) -> Mapping[str, frozenset[type]]:
    """The plain types that each argument may have, but for arguments of other types."""
    hints: dict[str, Any] = {}
    # What comes back is not checked, and its module may not be loaded yet.
    arguments = types.FunctionType(method.__code__, method.__globals__)
    arguments.__annotations__ = {name: hint for name, hint in method.__annotations__.items() if name != "return"}
    for name, hint in get_type_hints(arguments).items():
        inner = next(iter(get_args(hint)), None)
        hints |= get_type_hints(inner) if is_typeddict(inner) else {name: hint}
    return {name: plain for name, hint in hints.items() if (plain := _types(hint))}


def _types(hint: Any) -> frozenset[type]:
    union = get_origin(hint) in (Union, types.UnionType)
    found = frozenset(get_args(hint) if union else (hint,))
    return found if found <= {*_PLAIN, type(None)} else frozenset()


def _check(name: str, value: object, expected: frozenset[type]) -> None:
    if type(value) in expected or (isinstance(value, tuple(expected)) and not isinstance(value, bool)):
        _check_value(name, value)
        return
    said = " or ".join(_PLAIN[type_] for type_ in _PLAIN if type_ in expected)
    raise InputError(f"{name} must be {said}, got {type(value).__name__}")


def _check_value(name: str, value: object) -> None:
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise InputError(f"{name} is not valid Unicode at position {error.start + 1}: repair it") from error
    elif isinstance(value, datetime):
        check_time(name, value)
    elif isinstance(value, int) and not -LARGEST < value < LARGEST:
        raise InputError(f"{name} is too large a number: give less than {LARGEST:,}")
