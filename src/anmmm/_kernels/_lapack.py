"""LAPACK's Cholesky routines, BLAS's products and solves, for compiled code.

The addresses are those of ``scipy.linalg.cython_lapack`` and ``cython_blas``. They are entered in
LLVM's symbol table under names of our own, so that machine code cached on disk finds them in the
next process (a ctypes pointer would make its caller uncacheable).

Matrices are in C order, and only the lower triangle of a symmetric one is read and written. The
libraries count by columns: they see every matrix transposed, and lower triangles as upper ones.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba import types
from numba.core import cgutils as untyped_cgutils
from numba.extending import get_cython_function_address, intrinsic

from anmmm._kernels._jit import FloatArray, kernel

cgutils: Any = untyped_cgutils

# Types of arguments, which are passed by address on the stack; "A" is an array.
_STACKED = {"c": ir.IntType(8), "i": ir.IntType(32), "d": ir.DoubleType()}
# Letters: ord("U") and so on. "N" is both "not transposed" and "not of unit diagonal".
_UPPER = 85
_RIGHT = 82
_TRANSPOSED = 84
_NO = 78


def _routine(library: str, name: str, letters: str) -> Any:
    """Return a function for compiled code that takes the routine's arguments as one tuple.

    letters: c letter, i integer, d float, A array. Returns a last i (``info``).
    """
    symbol = f"anmmm_{name}"
    llvm.add_symbol(symbol, get_cython_function_address(f"scipy.linalg.{library}", name))
    informs = letters.endswith("i")

    def call(typing_context: Any, arguments: Any) -> Any:
        def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            addresses = []
            slot = None
            for letter, value_type, value in zip(
                letters, signature.args[0], cgutils.unpack_tuple(builder, values[0]), strict=True
            ):
                if letter == "A":
                    slot = context.make_array(value_type)(context, builder, value).data
                else:
                    stack_type = _STACKED[letter]
                    number = value if letter == "d" else builder.trunc(value, stack_type)
                    slot = cgutils.alloca_once_value(builder, number)
                addresses.append(builder.bitcast(slot, cgutils.voidptr_t))
            function = cgutils.get_or_insert_function(
                builder.module,
                ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t] * len(letters)),
                symbol,
            )
            builder.call(function, addresses)
            if informs:
                return builder.sext(builder.load(slot), ir.IntType(64))
            return context.get_dummy_value()

        return (types.int64 if informs else types.void)(arguments), build

    return intrinsic(call)


_dpotrf = _routine("cython_lapack", "dpotrf", "ciAii")
_dpotri = _routine("cython_lapack", "dpotri", "ciAii")
_dtrsv = _routine("cython_blas", "dtrsv", "ccciAiAi")
_dtrsm = _routine("cython_blas", "dtrsm", "cccciidAiAi")
_dgemm = _routine("cython_blas", "dgemm", "cciiidAiAidAi")


@kernel()
def potrf(A: FloatArray) -> int:
    """Overwrite the lower triangle of A (n, n) by L, ``A = L Lᵀ``; return ``dpotrf``'s info."""
    n = A.shape[0]
    return int(_dpotrf((_UPPER, n, A, n, 0)))


@kernel()
def potri(L: FloatArray) -> int:
    """Overwrite a factor L (n, n) by ``(L Lᵀ)⁻¹``, lower triangle; return ``dpotri``'s info."""
    n = L.shape[0]
    return int(_dpotri((_UPPER, n, L, n, 0)))


@kernel()
def solve_rows(L: FloatArray, B: FloatArray) -> None:
    """Overwrite each row b of B (k, n) by the solution of ``L Lᵀ s = b``."""
    n = L.shape[0]
    # For one row, the common case, ``dpotrs`` takes twice the time.
    for k in range(B.shape[0]):
        _dtrsv((_UPPER, _TRANSPOSED, _NO, n, L, n, B[k], 1))
        _dtrsv((_UPPER, _NO, _NO, n, L, n, B[k], 1))


@kernel(inner=True)
def trsm(L: FloatArray, B: FloatArray) -> None:
    """Overwrite B (r, n) by ``L⁻¹ B``, L (r, r) lower triangular."""
    # By columns it is ``Bᵀ L⁻ᵀ`` with an upper triangle.
    r, n = B.shape
    _dtrsm((_RIGHT, _UPPER, _NO, _NO, n, r, 1.0, L, r, B, n))


@kernel(inner=True)
def gemm(
    A: FloatArray, A_transposed: bool, B: FloatArray, B_transposed: bool, beta: float, C: FloatArray
) -> None:
    """Overwrite C (m, n) by ``op(A) op(B) + beta C``; if beta is 0, C is not read."""
    m, n = C.shape
    k = A.shape[0] if A_transposed else A.shape[1]
    # By columns it is ``Cᵀ = op(B)ᵀ op(A)ᵀ``.
    left = _TRANSPOSED if B_transposed else _NO
    right = _TRANSPOSED if A_transposed else _NO
    _dgemm((left, right, n, m, k, 1.0, B, B.shape[1], A, A.shape[1], beta, C, n))
