"""The exponential of numbers that are never positive, in a form that compilers vectorize.

The Gram matrices read it; it is half of the work of an evaluation at small N when it is called
one number at a time through the C library.
"""

from __future__ import annotations

import math
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from anmmm._kernels._jit import FloatArray, kernel

LOG2_E = 1.0 / math.log(2.0)
# ln 2 in two parts: the first has 21 trailing zero bits, so n * LN2_HIGH is exact for |n| < 2^20.
LN2_HIGH = float.fromhex("0x1.62e42fee00000p-1")
LN2_LOW = float.fromhex("0x1.a39ef35793c76p-33")
# Adding 1.5 * 2^52 leaves the nearest integer in the low bits of the sum.
ROUND_TO_INTEGER = 6755399441055744.0
# Below it the result would be subnormal.
SMALLEST = -708.0
C2, C3, C4, C5, C6, C7 = (1.0 / math.factorial(k) for k in range(2, 8))
C8, C9, C10, C11, C12, C13 = (1.0 / math.factorial(k) for k in range(8, 14))


def _bits_of(typing_context: Any, value: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], ir.IntType(64))

    return types.int64(types.float64), build


def _number_of(typing_context: Any, value: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], ir.DoubleType())

    return types.float64(types.int64), build


# Reinterpret the 64 bits of a float as an integer, and back.
_bits: Any = intrinsic(_bits_of)
_from_bits: Any = intrinsic(_number_of)


@kernel()
def exp_nonpositive(values: FloatArray, n: int) -> None:
    """Replace the first `n` values, at most 0, by their exponentials; below -708 that is 0.

    ``e^x = 2^k e^r`` with ``k = round(x / ln 2)``, ``|r| <= ln 2 / 2`` and the Taylor polynomial of
    degree 13: at most 1 unit in the last place off. Reordering sums would destroy the rounding
    step, so this kernel is compiled without it.
    """
    for i in range(n):
        x = values[i]
        shifted = x * LOG2_E + ROUND_TO_INTEGER
        k = shifted - ROUND_TO_INTEGER
        r = (x - k * LN2_HIGH) - k * LN2_LOW
        p = C13
        p = p * r + C12
        p = p * r + C11
        p = p * r + C10
        p = p * r + C9
        p = p * r + C8
        p = p * r + C7
        p = p * r + C6
        p = p * r + C5
        p = p * r + C4
        p = p * r + C3
        p = p * r + C2
        p = 1.0 + (r + r * r * p)
        y = _from_bits(_bits(p) + (_bits(shifted) << 52))
        values[i] = y if x >= SMALLEST else (0.0 if x < SMALLEST else x)
