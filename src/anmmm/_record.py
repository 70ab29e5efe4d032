"""Base of records with arrays: a repr that fits a screen, and the printed text for notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, TypeVar, dataclass_transform

import numpy as np

from anmmm._text import cut, valid_utf8
from anmmm._warning import with_numpy_defaults

T = TypeVar("T")

# Numbers of an array, and items of a list, up to which they are shown themselves.
FEW = 4
# Characters up to which a record within a record, or a text, is shown whole.
SHORT = 120
LONGEST_TEXT = 200


class computed(cached_property[T]):
    """A `functools.cached_property` without the lock of Python 3.11, one for all objects."""

    if not TYPE_CHECKING:

        def __get__(self, instance: object, owner: type | None = None) -> Any:
            """Compute once, and keep the value where the next access finds it."""
            if instance is None:
                return self
            value = with_numpy_defaults(self.func, instance)
            return instance.__dict__.setdefault(self.attrname, value)


@dataclass_transform(eq_default=False, frozen_default=True, field_specifiers=(field,))
class Record:
    """Base of frozen dataclasses, equal only to themselves; their repr fits a screen."""

    def __init_subclass__(cls, *, eq: bool = False, **options: Any) -> None:
        super().__init_subclass__(**options)
        dataclass(frozen=True, eq=eq, repr=False)(cls)

    def __repr__(self) -> str:
        shown = (f"{f.name}={_shown(getattr(self, f.name))}" for f in fields(self) if f.repr)  # type: ignore[arg-type]
        return f"{type(self).__qualname__}({', '.join(shown)})"

    def _repr_html_(self) -> str:
        """Return the printed text for notebooks."""
        return f"<pre>{escape(valid_utf8(str(self)))}</pre>"


def _shown(value: Any) -> str:
    """Return the repr of a field on one line, cut if it is long."""
    if isinstance(value, np.generic):
        return repr(value.item())
    if isinstance(value, np.ndarray):
        if value.ndim == 1 and 0 < value.size <= FEW and value.dtype.kind == "b":
            return f"array({value.tolist()})"
        if value.ndim == 1 and 0 < value.size <= FEW and value.dtype.kind in "iuf":
            return f"array([{', '.join(f'{number:.6g}' for number in value.tolist())}])"
        return f"<{value.dtype} array of shape {value.shape}>"
    if isinstance(value, (tuple, list, Mapping)) and len(value) > FEW:
        return f"<{type(value).__name__} of {len(value)}>"
    text = " ".join(repr(value).split())
    if is_dataclass(value) and not isinstance(value, type) and len(text) > SHORT:
        return f"<{type(value).__qualname__}>"
    return cut(text, LONGEST_TEXT)
