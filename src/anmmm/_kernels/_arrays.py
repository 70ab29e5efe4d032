"""New arrays of numbers: `numpy`'s functions would be compiled once for each kind of shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite.ir import Constant, DoubleType, IntType
from numba import types
from numba.core import cgutils as typed_cgutils
from numba.extending import intrinsic

from anmmm._typing import FloatArray

cgutils: Any = typed_cgutils

WORD = IntType(64)
# Bytes of a number, and of a cache line, at which arrays begin.
NUMBER, LINE = Constant(WORD, 8), 64


def _maker(clear: bool) -> Callable[..., FloatArray]:
    """Return a function for compiled code that takes a length or a tuple of lengths."""

    def make(typing_context: Any, shape: Any) -> Any:
        is_tuple = isinstance(shape, types.BaseTuple)
        kinds = list(shape) if is_tuple else [shape]
        kind = types.Array(types.float64, len(kinds), "C")

        def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            given = cgutils.unpack_tuple(builder, args[0], len(kinds)) if is_tuple else args
            lengths = [
                context.cast(builder, each, of, types.intp)
                for each, of in zip(given, kinds, strict=True)
            ]
            size, strides = NUMBER, list[Any]()
            for length in reversed(lengths):
                strides.insert(0, size)
                size = builder.mul(size, length)
            meminfo = context.nrt.meminfo_alloc_aligned(builder, size, LINE)
            data = context.nrt.meminfo_data(builder, meminfo)
            if clear:
                cgutils.memset(builder, data, size, 0)
            fields = [
                meminfo,
                Constant(cgutils.voidptr_t, None),
                builder.udiv(size, NUMBER),
                NUMBER,
                builder.bitcast(data, DoubleType().as_pointer()),
                cgutils.pack_array(builder, lengths, WORD),
                cgutils.pack_array(builder, strides, WORD),
            ]
            return cgutils.make_anonymous_struct(builder, fields, context.get_value_type(kind))

        return kind(shape), build

    function: Callable[..., FloatArray] = intrinsic(make)
    return function


empty, zeros = _maker(clear=False), _maker(clear=True)
