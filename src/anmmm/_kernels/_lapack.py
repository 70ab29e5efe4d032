"""LAPACK's Cholesky routines and BLAS's triangular solves, called by compiled code without the GIL.

The addresses are those that ``scipy.linalg.cython_lapack`` and ``cython_blas`` publish. They are
entered in LLVM's symbol table under names of our own, so that machine code cached on disk finds
them again in the next process (a ctypes pointer would make its caller uncacheable).

The matrices are symmetric in C order with only the lower triangle read and written, which is
what LAPACK, counting by columns, calls the upper one.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm
import numpy as np
from numba import types
from numba.extending import get_cython_function_address

from anmmm._kernels._jit import FloatArray, kernel

__all__ = ["potrf", "potri", "solve_rows", "trsm"]

_POINTER = types.voidptr


def _external(library: str, name: str, n_arguments: int) -> Any:
    symbol = f"anmmm_{name}"
    llvm.add_symbol(symbol, get_cython_function_address(f"scipy.linalg.{library}", name))
    return types.ExternalFunction(symbol, types.void(*([_POINTER] * n_arguments)))


_dpotrf = _external("cython_lapack", "dpotrf", 5)
_dpotri = _external("cython_lapack", "dpotri", 5)
_dtrsv = _external("cython_blas", "dtrsv", 8)
_dtrsm = _external("cython_blas", "dtrsm", 11)
_UPPER = 85  # ord("U")
_RIGHT = 82  # ord("R")
_TRANSPOSED = 84  # ord("T")
_NO = 78  # ord("N"), for both "not transposed" and "not of unit diagonal"


@kernel()
def potrf(A: FloatArray) -> int:
    """Overwrite the lower triangle of A by its Cholesky factor L, ``A = L Lᵀ``.

    Parameters
    ----------
    A : float64 (n, n), C order
        Only the lower triangle is read and written.

    Returns
    -------
    int
        0, or the order of the leading minor that is not positive definite.

    Notes
    -----
    LAPACK ``dpotrf``; n³/3 flops.
    """
    uplo = np.array([_UPPER], dtype=np.uint8)
    sizes = np.array([A.shape[0], 0], dtype=np.int32)
    _dpotrf(uplo.ctypes, sizes.ctypes, A.ctypes, sizes.ctypes, sizes[1:].ctypes)
    return int(sizes[1])


@kernel()
def potri(L: FloatArray) -> int:
    """Overwrite the Cholesky factor L by the lower triangle of ``(L Lᵀ)⁻¹``.

    Parameters
    ----------
    L : float64 (n, n), C order
        Factor as `potrf` leaves it.

    Returns
    -------
    int
        0, or the index of a zero on the diagonal of L.

    Notes
    -----
    LAPACK ``dpotri``; 2n³/3 flops.
    """
    uplo = np.array([_UPPER], dtype=np.uint8)
    sizes = np.array([L.shape[0], 0], dtype=np.int32)
    _dpotri(uplo.ctypes, sizes.ctypes, L.ctypes, sizes.ctypes, sizes[1:].ctypes)
    return int(sizes[1])


@kernel()
def solve_rows(L: FloatArray, B: FloatArray) -> None:
    """Overwrite each row b of B by the solution of ``L Lᵀ s = b``.

    Parameters
    ----------
    L : float64 (n, n), C order
        Factor as `potrf` leaves it.
    B : float64 (k, n), C order
        Right-hand sides, one a row.

    Notes
    -----
    BLAS ``dtrsv``, twice a row; 2kn² flops. For the one row that it mostly is, LAPACK's ``dpotrs``
    takes twice the time: it goes through ``dtrsm``, which packs the triangle first.
    """
    letters = np.array([_UPPER, _TRANSPOSED, _NO], dtype=np.uint8)
    sizes = np.array([L.shape[0], 1], dtype=np.int32)
    for k in range(B.shape[0]):
        for turned in range(2):
            _dtrsv(
                letters.ctypes,
                letters[1 + turned :].ctypes,
                letters[2:].ctypes,
                sizes.ctypes,
                L.ctypes,
                sizes.ctypes,
                B[k].ctypes,
                sizes[1:].ctypes,
            )


@kernel()
def trsm(L: FloatArray, B: FloatArray) -> None:
    """Overwrite B by ``L⁻¹ B``.

    Parameters
    ----------
    L : float64 (r, r), C order
        Lower triangular; what stands above the diagonal is not read.
    B : float64 (r, n), C order

    Notes
    -----
    BLAS ``dtrsm``; n r² flops. In the column order of BLAS it is ``Bᵀ L⁻ᵀ`` with an upper triangle.
    """
    letters = np.array([_RIGHT, _UPPER, _NO], dtype=np.uint8)
    sizes = np.array([B.shape[1], B.shape[0]], dtype=np.int32)
    one = np.ones(1)
    _dtrsm(
        letters.ctypes,
        letters[1:].ctypes,
        letters[2:].ctypes,
        letters[2:].ctypes,
        sizes.ctypes,
        sizes[1:].ctypes,
        one.ctypes,
        L.ctypes,
        sizes[1:].ctypes,
        B.ctypes,
        sizes.ctypes,
    )
