"""Eight numbers at a time, as one value on every processor.

Compilers see that a loop can run on vectors, but not that it is short or that its sums may stay in
registers from one observation to the next. Here eight numbers are one value of a type of their own:
kernels load it, calculate with it and store it, and every processor splits it as its vectors need.
Such values live inside kernels; Python never sees one.
"""

from __future__ import annotations

import math
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, register_model

LANES = 8
VECTOR = ir.VectorType(ir.DoubleType(), LANES)
# Products may be fused with sums, as in all kernels.
FUSED = ("contract",)

# Of the exponential: e^r = 1 + r + r² (sum of these times powers of r) for |r| <= ln 2 / 2, by
# Chebyshev interpolation, off by 1.6e-17.
LOG2_E = 1.0 / math.log(2.0)
FIRST = 0.5000000000000001, 0.16666666666666669, 0.04166666666662413, 0.008333333333330062
NEXT = 0.0013888888917213717, 0.00019841269863053618, 2.4801521295954376e-05
LAST = 2.7557268459997064e-06, 2.7620088445409746e-07, 2.510038549551032e-08
SERIES = FIRST + NEXT + LAST
# ln 2 in two parts: the first has 21 trailing zero bits, so n * LN2_HIGH is exact for |n| < 2^20.
LN2_HIGH, LN2_LOW = float.fromhex("0x1.62e42fee00000p-1"), float.fromhex("0x1.a39ef35793c76p-33")
# Adding 1.5 * 2^52 leaves the nearest integer in the low bits of the sum. Below `SMALLEST` the
# result would be subnormal.
ROUND_TO_INTEGER, SMALLEST = 6755399441055744.0, -708.0


class _Eight(types.Type):
    """Numba's type of eight numbers."""

    def __init__(self) -> None:
        super().__init__("Eight")


@register_model(_Eight)
class _EightModel(models.PrimitiveModel):
    """How LLVM holds them."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, VECTOR)  # type: ignore[no-untyped-call]


EIGHT: Any = _Eight()


def _address(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [index]), VECTOR.as_pointer())


def _load(typing_context: Any, array: Any, index: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_address(context, builder, signature.args[0], *args), align=8)

    return EIGHT(array, types.intp), build


def _store(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        address = _address(context, builder, signature.args[0], *args[:2])
        builder.store(args[2], address, align=8)
        return context.get_dummy_value()

    return types.void(array, types.intp, EIGHT), build


def _spread(builder: Any, number: Any) -> Any:
    nothing = ir.Constant(VECTOR, ir.Undefined)
    first = builder.insert_element(nothing, number, ir.Constant(ir.IntType(32), 0))
    lanes = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(first, nothing, lanes)


def _everywhere(typing_context: Any, number: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _spread(builder, args[0])

    return EIGHT(types.float64), build


def _load_one(typing_context: Any, array: Any, index: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        return _spread(builder, builder.load(builder.gep(data, [args[1]])))

    return EIGHT(array, types.intp), build


def _product(typing_context: Any, a: Any, b: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.fmul(*args, flags=FUSED)

    return EIGHT(EIGHT, EIGHT), build


def _quotient(typing_context: Any, a: Any, b: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.fdiv(*args)

    return EIGHT(EIGHT, EIGHT), build


def _multiply_add(typing_context: Any, a: Any, b: Any, c: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        a, b, c = args
        return builder.fadd(builder.fmul(a, b, flags=FUSED), c, flags=FUSED)

    return EIGHT(EIGHT, EIGHT, EIGHT), build


def _minus_product(typing_context: Any, a: Any, b: Any, c: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        a, b, c = args
        return builder.fsub(c, builder.fmul(a, b, flags=FUSED), flags=FUSED)

    return EIGHT(EIGHT, EIGHT, EIGHT), build


def _plus(typing_context: Any, a: Any, b: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.fadd(*args)

    return EIGHT(EIGHT, EIGHT), build


def _larger(typing_context: Any, a: Any, b: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        a, b = args
        return builder.select(builder.fcmp_ordered(">", a, b), a, b)

    return EIGHT(EIGHT, EIGHT), build


def _total_of(typing_context: Any, a: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        lanes = [
            builder.extract_element(args[0], ir.Constant(ir.IntType(32), i)) for i in range(LANES)
        ]
        # In pairs, so that the order of the additions is the same on every processor.
        while len(lanes) > 1:
            half = len(lanes) // 2
            lanes = [builder.fadd(lanes[i], lanes[i + half]) for i in range(half)]
        return lanes[0]

    return types.float64(EIGHT), build


def _exponential(typing_context: Any, a: Any) -> Any:
    # ``e^x = 2^k e^r`` with ``k = round(x / ln 2)``. Even and odd powers of r apart: either sum
    # waits for itself half as often.
    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        (x,) = args
        kind, whole = x.type, ir.IntType(64)
        if kind == VECTOR:
            whole = ir.VectorType(whole, LANES)

        def number(value: Any, of: Any = kind) -> Any:
            return ir.Constant(of, [value] * LANES if kind == VECTOR else value)

        def fused(a: Any, b: Any, c: Any) -> Any:
            return builder.fadd(builder.fmul(a, b, flags=FUSED), c, flags=FUSED)

        shifted = fused(x, number(LOG2_E), number(ROUND_TO_INTEGER))
        k = builder.fsub(shifted, number(ROUND_TO_INTEGER))
        rest = fused(k, number(-LN2_LOW), fused(k, number(-LN2_HIGH), x))
        square = builder.fmul(rest, rest)
        even, odd = number(SERIES[-2]), number(SERIES[-1])
        for n in range(len(SERIES) - 4, -1, -2):
            even = fused(even, square, number(SERIES[n]))
            odd = fused(odd, square, number(SERIES[n + 1]))
        series = fused(fused(fused(odd, rest, even), rest, number(1.0)), rest, number(1.0))
        power = builder.shl(builder.bitcast(shifted, whole), number(52, whole))
        scaled = builder.bitcast(builder.add(builder.bitcast(series, whole), power), kind)
        tiny = builder.fcmp_ordered("<", x, number(SMALLEST))
        found = builder.select(tiny, number(0.0), scaled)
        return builder.select(builder.fcmp_unordered("uno", x, x), x, found)

    kind = EIGHT if a is EIGHT else types.float64
    return kind(kind), build


# array[index : index + 8] of a contiguous vector, and writing there.
load: Any = intrinsic(_load)
store: Any = intrinsic(_store)
# The same number in all lanes, a given one or array[index]; a b; a / b; a b + c; c - a b; a + b;
# the larger of each two; the exponential of a number, or of eight, below 709; the sum of the
# lanes.
everywhere: Any = intrinsic(_everywhere)
load_one: Any = intrinsic(_load_one)
product: Any = intrinsic(_product)
quotient: Any = intrinsic(_quotient)
multiply_add: Any = intrinsic(_multiply_add)
minus_product: Any = intrinsic(_minus_product)
plus: Any = intrinsic(_plus)
larger: Any = intrinsic(_larger)
exponential: Any = intrinsic(_exponential)
total_of: Any = intrinsic(_total_of)
