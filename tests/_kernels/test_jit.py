"""How kernels are compiled: the registry, the options, the warm-up."""

import ast
import inspect
import json
import pkgutil
import re
from importlib import import_module
from typing import get_type_hints

import anmmm._kernels
from anmmm._kernels._jit import REGISTRY, SUMS
from subprocess_helpers import python

for module_info in pkgutil.iter_modules(anmmm._kernels.__path__):
    # Which enters its kernels in the registry.
    import_module(f"anmmm._kernels.{module_info.name}")


def test_kernels_that_numba_may_not_compile_are_refused():
    script = "import anmmm; anmmm.infer_direction"
    done = python("-c", script, env={"NUMBA_DISABLE_JIT": "1"}, check=False)
    assert "ImportError: NUMBA_DISABLE_JIT is set" in done.stderr.splitlines()[-1]


def test_every_kernel_is_compiled_as_kernels_are():
    assert len(REGISTRY) > 100
    assert not SUMS & {"nnan", "ninf", "fast"}
    for key, dispatcher in REGISTRY.items():
        module, name = key.split(".")
        assert getattr(import_module(f"anmmm._kernels.{module}"), name) is dispatcher, key
        options = dispatcher.targetoptions
        assert (options["nogil"], options["error_model"]) == (True, "numpy"), key
        # NaN and infinity are to show.
        assert options["fastmath"] <= SUMS, key
        inner = options.get("no_cpython_wrapper", False)
        assert (dispatcher.stats.cache_path is None) == inner, key
        assert not options.get("parallel"), key
        # An exception from outside, as that of Ctrl-C, strikes in Python code: where
        # machine code called that, as to make a named tuple, it runs on with a null pointer.
        if not inner:
            returned = get_type_hints(dispatcher.py_func, include_extras=True).get("return")
            assert not hasattr(returned, "_fields"), key


OF_NUMBERS = ("np.rint", "np.nextafter", "np.sqrt", "np.log")


def returns_numbers(body):
    words = re.findall(r"\w+", body.__annotations__["return"])
    return set(words) <= {"None", "float", "int", "bool", "tuple", "Any"}


def test_kernels_that_count_no_references_hold_no_arrays_of_their_own():
    free = {
        name: dispatcher
        for name, dispatcher in REGISTRY.items()
        if not dispatcher.targetoptions.get("_nrt", True)
    }
    assert len(free) > 50
    for name, dispatcher in free.items():
        body = dispatcher.py_func
        assert returns_numbers(body), name
        for node in ast.walk(ast.Module(ast.parse(inspect.getsource(body)).body[0].body, [])):
            # Numba's transposes, copies and so on are functions that return arrays.
            assert getattr(node, "attr", "") != "T", name
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                kernel = getattr(body.__globals__.get(called), "py_func", None)
                assert kernel is None or returns_numbers(kernel), (name, called)
                assert "." not in called or called.startswith("math.") or called in OF_NUMBERS, name


def test_kernels_free_their_arrays():
    script = """
import numpy as np
from numba.core.runtime import _nrt_python, rtsys
from anmmm import cluster_mechanisms, infer_direction
from anmmm.datasets import make_anm_mixture

_nrt_python.memsys_enable_stats()

def held():
    stats = rtsys.get_allocation_stats()
    return stats.alloc - stats.free

x, y, _ = make_anm_mixture("f1", 100, random_state=0)
for _ in range(2):
    before = held()
    infer_direction(x, y), infer_direction(np.round(x, 1), y > np.median(y))
    cluster_mechanisms(x, y, n_mechanisms=2, random_state=0)
print(held() - before)
"""
    assert python("-c", script).stdout.split() == ["0"]


SCRIPT = """
import json, sys
import numpy as np
from anmmm import GPPOM, GPPOMObjective, cluster_mechanisms, hsic_test, infer_direction, warm_up
from anmmm._kernels._jit import REGISTRY
from anmmm.datasets import make_anm_mixture

def compiled():
    return {name: len(kernel.signatures) for name, kernel in REGISTRY.items()}

warm_up()
before = compiled()
X, Y = np.random.default_rng(0).normal(size=(2, 12, 2))
for latent_map in ("free", "mlp"):
    objective = GPPOMObjective(X, Y, fit_options={"latent_map": latent_map})
    objective.value_and_grad(np.full(objective.n_params, 0.1))
hsic_test(X, Y)
hsic_test(X, Y, null="gamma")
short = {"max_iter": 3}
# Dense below 120 observations, low rank from there on, in blocks from 2049 on.
for n_samples in (40, 160, 2100):
    x, y, _ = make_anm_mixture("f3", n_samples=n_samples, random_state=1)
    infer_direction(x, y)
    infer_direction(x, np.round(4 * y))
    infer_direction(x, y, criterion="hsic_ratio", fit_options=short)
    cluster_mechanisms(x, y, "auto", fit_options=short)
    GPPOM(fit_options={"max_iter": 3}).fit(x[:, None], y)
json.dump([before, compiled()], sys.stdout)
"""


def test_nothing_is_compiled_after_the_warm_up():
    # The first run compiles for minutes.
    done = python("-W", "ignore", "-c", SCRIPT, timeout=None)
    before, after = json.loads(done.stdout)
    assert before["dense.value_and_gradients"] == 1
    assert after == before
