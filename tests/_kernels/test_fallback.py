"""Kernels under a Numba whose private classes differ: slower to compile, with the same results."""

import json

import pytest
from numba import config
from numpy.testing import assert_allclose

from anmmm._kernels import _jit, _library
from subprocess_helpers import python


def half(value):
    return 0.5 * value


inner_half = half


def half_and_one(value):
    return inner_half(value) + 1.0


def compiled(monkeypatch):
    """Return the function above as a kernel that calls a kernel."""
    monkeypatch.setattr(_jit, "REGISTRY", {})
    monkeypatch.setitem(half_and_one.__globals__, "inner_half", _jit.kernel(inner=True)(half))
    return _jit.kernel()(half_and_one)


def fails(*_arguments):
    raise TypeError("takes other arguments in this version")


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        (_library.KernelCompiler, "define_pipelines"),
        (_library.KernelLibrary, "_optimize_functions"),
        (_library.KernelLibrary, "_optimize_final_module"),
        (_library.InnerLibrary, "_finalize_final_module"),
    ],
)
def test_a_hook_that_fails_leaves_the_kernel_to_numba(monkeypatch, tmp_path, owner, name):
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(owner, name, fails)
    assert compiled(monkeypatch)(3.0) == 2.5


def test_without_private_parts_kernels_are_compiled_and_cached_by_numba(monkeypatch, tmp_path):
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(_jit, "CompilerOptions", None)
    monkeypatch.setattr(_jit, "KernelCompiler", None)
    monkeypatch.setattr(_jit, "KernelCache", None)
    for hits in (0, 1):
        kernel = compiled(monkeypatch)
        assert kernel(3.0) == 2.5
        assert sum(kernel.stats.cache_hits.values()) == hits
        assert not {"pipeline_class", "no_cpython_wrapper", "no_cfunc_wrapper", "_nrt"} & set(
            kernel.targetoptions
        )


# Numbers of all that compiles: a decision, a clustering, an objective, a test.
ANSWERS = """
import json
import numpy as np
from anmmm import GPPOMObjective, cluster_mechanisms, hsic_test, infer_direction
from anmmm._kernels import _jit
from anmmm.datasets import make_anm_mixture

x, y, _ = make_anm_mixture("f1", 40, random_state=0)
objective = GPPOMObjective(x[:, None], y[:, None], fit_options={"engine": "dense"})
value, gradient = objective.value_and_grad(np.full(objective.n_params, 0.1))
labels = cluster_mechanisms(x, y, 2, random_state=0).labels
score, pvalue = infer_direction(x, y).score, hsic_test(x, y).pvalue
print(json.dumps([score, pvalue, value, *gradient, *labels.tolist()]))
print(_jit.CompilerOptions is None, _jit.KernelCompiler is None, _jit.KernelCache is None)
"""
# Importing these then raises ImportError.
WITHOUT_PRIVATE_PARTS = """
import sys
import numba.core.options
for name in ("_library", "_cache"):
    sys.modules[f"anmmm._kernels.{name}"] = None
del numba.core.options.DefaultOptions
"""


@pytest.mark.slow
def test_everything_runs_without_private_parts():
    results = []
    for setup, without in (("", "False False False"), (WITHOUT_PRIVATE_PARTS, "True True True")):
        # The first run compiles for a minute.
        numbers, state = python("-c", setup + ANSWERS, timeout=None).stdout.splitlines()
        assert state == without
        results.append(json.loads(numbers))
    assert_allclose(*results, rtol=1e-9)
