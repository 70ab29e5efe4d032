"""Eight numbers at a time, as one value of compiled code.

Compilers vectorize long loops but not short ones, and do not keep sums in registers from one
observation to the next. Kernels `load` eight numbers as one value, calculate with ``+ - * /``, and
`store` it; every processor splits it as its vectors need. Python never sees such a value.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.cgutils import unpack_tuple as typed_unpack_tuple
from numba.extending import intrinsic, lower_builtin, models, register_model, type_callable

# Its annotations are incomplete.
unpack_tuple: Any = typed_unpack_tuple

LANES = 8
VECTOR = ir.VectorType(ir.DoubleType(), LANES)
# Products may be fused with sums, as in all kernels.
FUSED = ("contract",)

# Of the exponential: e^r = 1 + r + r² (sum of these times powers of r) for |r| <= ln 2 / 2, by
# Chebyshev interpolation, with an error of 1.6e-17.
LOG2_E = 1.0 / math.log(2.0)
FIRST = 0.5000000000000001, 0.16666666666666669, 0.04166666666662413, 0.008333333333330062
NEXT = 0.0013888888917213717, 0.00019841269863053618, 2.4801521295954376e-05
LAST = 2.7557268459997064e-06, 2.7620088445409746e-07, 2.510038549551032e-08
SERIES = FIRST + NEXT + LAST
# ln 2 in two parts: the first has 21 trailing zero bits, so n * LN2_HIGH is exact for |n| < 2^20.
LN2_HIGH = float.fromhex("0x1.62e42fee00000p-1")
LN2_LOW = float.fromhex("0x1.a39ef35793c76p-33")
# Adding 1.5 * 2^52 leaves the nearest integer in the low bits of the sum. Below `SMALLEST` the
# result would be subnormal.
ROUND_TO_INTEGER = 6755399441055744.0
SMALLEST = -708.0


class _Eight(types.Type):
    """Numba's type of eight numbers."""

    def __init__(self) -> None:
        super().__init__("Eight")


@register_model(_Eight)
class _EightModel(models.PrimitiveModel):
    """Their type in LLVM."""

    def __init__(self, manager: Any, numba_type: Any) -> None:
        super().__init__(manager, numba_type, VECTOR)  # type: ignore[no-untyped-call]


EIGHT: Any = _Eight()
ANY = None

Build = Callable[[Any, Any, Any, Any], Any]


def _function(result: Any, *wanted: Any) -> Callable[[Build], Any]:
    """Make a compiled function of types `wanted` (`ANY`: any type) from its builder."""

    def decorate(build: Build) -> Any:
        def typed(*argument_types: Any) -> Any:
            pairs = zip(argument_types, wanted, strict=True)
            return result(
                *(
                    argument_type if wanted_type is ANY else wanted_type
                    for argument_type, wanted_type in pairs
                )
            ), build

        # Numba reads the number of arguments from the function.
        return intrinsic(
            (
                lambda context, a: typed(a),
                lambda context, a, b: typed(a, b),
                lambda context, a, b, c: typed(a, b, c),
                lambda context, a, b, c, d: typed(a, b, c, d),
            )[len(wanted) - 1]
        )

    return decorate


def _pointer(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    position = context.data_model_manager[signature.args[0]].get_field_position("data")
    return builder.gep(builder.extract_value(args[0], position), [args[1]])


def _broadcast(builder: Any, number: Any) -> Any:
    nothing = ir.Constant(VECTOR, ir.Undefined)
    first = builder.insert_element(nothing, number, ir.Constant(ir.IntType(32), 0))
    lanes = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(first, nothing, lanes)


# array[index : index + 8] of a contiguous array, indices counting its numbers.
@_function(EIGHT, ANY, types.intp)
def load(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    pointer = _pointer(context, builder, signature, args)
    return builder.load(builder.bitcast(pointer, VECTOR.as_pointer()), align=8)


# The same, written.
@_function(types.void, ANY, types.intp, EIGHT)
def store(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    pointer = _pointer(context, builder, signature, args)
    builder.store(args[2], builder.bitcast(pointer, VECTOR.as_pointer()), align=8)
    return context.get_dummy_value()


# A number in all lanes.
@_function(EIGHT, types.float64)
def broadcast(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return _broadcast(builder, args[0])


# array[index] in all lanes.
@_function(EIGHT, ANY, types.intp)
def load_broadcast(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return _broadcast(builder, builder.load(_pointer(context, builder, signature, args)))


# The maximum of each two.
@_function(EIGHT, EIGHT, EIGHT)
def maximum(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return builder.select(builder.fcmp_ordered(">", *args), *args)


def _reduce(builder: Any, vector: Any, combine: Any) -> Any:
    # In pairs: the same order on every processor.
    count = LANES
    while count > 1:
        count //= 2
        halves = (
            ir.Constant(ir.VectorType(ir.IntType(32), count), [*range(first, first + count)])
            for first in (0, count)
        )
        vector = combine(*(builder.shuffle_vector(vector, vector, lanes) for lanes in halves))
    return builder.extract_element(vector, ir.Constant(ir.IntType(32), 0))


# The sum of the lanes.
@_function(types.float64, EIGHT)
def reduce_add(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return _reduce(builder, args[0], builder.fadd)


# Their product.
@_function(types.float64, EIGHT)
def reduce_multiply(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return _reduce(builder, args[0], builder.fmul)


def _rows(builder: Any, args: Any) -> Any:
    """Yield the vectors of a tuple, and the place of each: from an index on, a stride apart."""
    array, index, stride, vectors = args
    for vector in unpack_tuple(builder, vectors):
        yield vector, (array, index)
        index = builder.add(index, stride)


# array[index : index + 8] and others from ``index + stride`` on, one vector of a tuple each.
@_function(types.void, ANY, types.intp, types.intp, ANY)
def store_rows(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    for vector, place in _rows(builder, args):
        pointer = _pointer(context, builder, signature, place)
        builder.store(vector, builder.bitcast(pointer, VECTOR.as_pointer()), align=8)
    return context.get_dummy_value()


# Adds the sums of the lanes to array[index], array[index + stride] …
@_function(types.void, ANY, types.intp, types.intp, ANY)
def add_sums(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    for vector, place in _rows(builder, args):
        pointer = _pointer(context, builder, signature, place)
        total = builder.fadd(builder.load(pointer), _reduce(builder, vector, builder.fadd))
        builder.store(total, pointer)
    return context.get_dummy_value()


def _define(operation: Any, instruction: str) -> None:
    """Define an operator for two vectors, or a vector and a number."""

    def type_of(context: Any) -> Any:
        def typer(a: Any, b: Any) -> Any:
            both = {a, b}
            return EIGHT if EIGHT in both and both <= {EIGHT, types.float64} else None

        return typer

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        vectors = (
            value if value_type is EIGHT else _broadcast(builder, value)
            for value_type, value in zip(signature.args, args, strict=True)
        )
        return getattr(builder, instruction)(*vectors, flags=FUSED)

    type_callable(operation)(type_of)
    for kinds in ((EIGHT, EIGHT), (EIGHT, types.float64), (types.float64, EIGHT)):
        lower_builtin(operation, *kinds)(build)  # type: ignore[no-untyped-call]


for _operation, _instruction in (
    (operator.add, "fadd"),
    (operator.iadd, "fadd"),
    (operator.sub, "fsub"),
    (operator.mul, "fmul"),
    (operator.truediv, "fdiv"),
):
    _define(_operation, _instruction)


def _fused(builder: Any, a: Any, b: Any, c: Any) -> Any:
    return builder.fadd(builder.fmul(a, b, flags=FUSED), c, flags=FUSED)


def polynomial(coefficients: Sequence[float]) -> Any:
    """Make a function of compiled code: a polynomial of a number, lowest power first."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value, *lower = (
            ir.Constant(ir.DoubleType(), coefficient) for coefficient in reversed(coefficients)
        )
        for constant in lower:
            value = _fused(builder, value, args[0], constant)
        return value

    return _function(types.float64, types.float64)(build)


def _exponential(typing_context: Any, a: Any) -> Any:
    # ``e^x = 2^k e^r`` with ``k = round(x / ln 2)``. Even and odd powers of r apart: either sum
    # waits for itself half as often.
    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        (x,) = args
        llvm_type = x.type
        integer_type = ir.IntType(64)
        if llvm_type == VECTOR:
            integer_type = ir.VectorType(integer_type, LANES)

        def number(value: Any, number_type: Any = llvm_type) -> Any:
            return ir.Constant(number_type, [value] * LANES if llvm_type == VECTOR else value)

        shifted = _fused(builder, x, number(LOG2_E), number(ROUND_TO_INTEGER))
        k = builder.fsub(shifted, number(ROUND_TO_INTEGER))
        remainder = _fused(builder, k, number(-LN2_HIGH), x)
        remainder = _fused(builder, k, number(-LN2_LOW), remainder)
        square = builder.fmul(remainder, remainder)
        even = number(SERIES[-2])
        odd = number(SERIES[-1])
        for n in range(len(SERIES) - 4, -1, -2):
            even = _fused(builder, even, square, number(SERIES[n]))
            odd = _fused(builder, odd, square, number(SERIES[n + 1]))
        series = _fused(builder, odd, remainder, even)
        for _ in range(2):
            series = _fused(builder, series, remainder, number(1.0))
        power = builder.shl(builder.bitcast(shifted, integer_type), number(52, integer_type))
        scaled = builder.bitcast(
            builder.add(builder.bitcast(series, integer_type), power), llvm_type
        )
        tiny = builder.fcmp_ordered("<", x, number(SMALLEST))
        result = builder.select(tiny, number(0.0), scaled)
        return builder.select(builder.fcmp_unordered("uno", x, x), x, result)

    argument_type = EIGHT if a is EIGHT else types.float64
    return argument_type(argument_type), build


# The exponential of a number, or of eight, below 709. Not for kernels that reorder sums (`SUMS`):
# their flags would apply to its instructions.
exponential: Any = intrinsic(_exponential)
