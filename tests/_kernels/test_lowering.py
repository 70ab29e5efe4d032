"""Code of variables and of elements of arrays, against the same functions in Python."""

from itertools import product

import numpy as np
import pytest
from numba import njit
from numpy.testing import assert_array_equal

from anmmm._kernels._arrays import empty, zeros
from anmmm._kernels._library import KernelCompiler


def variables(a, k, out):
    last, total = 0.0, 1.0
    for i in range(k):
        if i > 1:
            inside = a[i, 0, 1] + last
            last = inside
        if i == 2:
            total, last = last, total
        for j in range(i):
            total = total + last * j
        k = k + 0
    late = total if k > 3 else last
    out[0], out[1], out[2] = late, last, total


def elements(a, k, out):
    row, part, plane = a[1], a[2, k - 3], a[-1]
    out[0], out[1], out[2] = row[0, 1], part[-1], plane[-k + 3, -2]
    out[3], out[4] = a[-2, -1, -1], a[np.uint8(2), np.int32(-1), 0]
    out[-1] = k
    row[0, 1] += 0.5
    out[5] = part.size + 10 * plane.shape[1] + 100 * row.strides[1]
    a[0, 1, k - 3] = True
    plane[-1, 0] = k
    out[6] = a[0][1][0] + row[0][1]


def views(a, k, out):
    a[-1][1] = a[2, k - 3]
    a[2, :, 1] = 7.0
    for i in range(k):
        part = a.T[1, :, i] if i % 2 else a[i, ::-1, 0]
        out[i] = part[1] + a[:, ::-1][2, 0, 0] + a.shape[k - 4]
        # Not contiguous, so a slice has to mind the distance of its elements.
        out[i] += a[:, 1, 0][1:k][i - 1] + part[1:][0]


# Assigning arrays needs memory.
@pytest.mark.parametrize(
    ("body", "counts"), [*product((variables, elements), (False, True)), (views, True)]
)
def test_kernels_do_what_python_does(body, counts):
    results = []
    compiled = njit(body, pipeline_class=KernelCompiler, error_model="numpy", _nrt=counts)
    for function in (body, compiled):
        a, out = np.arange(24.0).reshape(4, 3, 2), np.zeros(9)
        function(a, 4, out)
        results.append((a, out))
    for found, expected in zip(*results[::-1], strict=True):
        assert_array_equal(found, expected)
    assert out.any()


def kinds(flags, whole, fortran, out):
    for i in range(len(flags)):
        flags[i] = not flags[i]
        whole[i] = 2.9 + whole[i]
        out[i] = whole[i] + fortran[i, 1] + fortran[i][0] + flags[-1 - i]
        fortran[i, 0] = i


def test_new_arrays_and_arrays_of_other_kinds():
    results = []
    for function in (kinds, njit(kinds, pipeline_class=KernelCompiler)):
        arrays = np.array([True, False, True]), np.arange(3), np.asfortranarray(np.eye(3))
        out = np.zeros(3)
        function(*arrays, out)
        results.append((*arrays, out))
    for found, expected in zip(*results, strict=True):
        assert_array_equal(found, expected)

    @njit(pipeline_class=KernelCompiler, _nrt=True)
    def make(k):
        some, clear, cube = empty(3), zeros(k), zeros((2, k, np.int32(3)))
        some[:], cube[1, -1, 2] = 1.0, 5.0
        return some, clear, cube, zeros((k, 0))

    some, clear, cube, none = make(4)
    assert_array_equal(some, np.ones(3))
    assert_array_equal(clear, np.zeros(4))
    assert (cube.shape, cube.strides, none.shape) == ((2, 4, 3), (96, 24, 8), (4, 0))
    assert cube[1, 3, 2] == cube.sum() == 5.0
    assert all(each.ctypes.data % 64 == 0 for each in (some, clear, cube))
