"""Kernels that other processes compile ahead."""

import os
import signal
import time

import pytest

from anmmm._ahead import DECISION, compile_ahead
from subprocess_helpers import LIMIT, python, running

# Parts in the process itself, so that what they compile can be looked at.
FORMS = """
from anmmm import infer_direction
from anmmm._ahead import DECISION, points
from anmmm._kernels._jit import REGISTRY
for part in DECISION:
    part()
names = ["mixture.fit_curves", "hidden.fit_hidden", "densities.fit_density",
         "monotone.monotone_link", "location_scale.location_scale", "densities.fit_base",
         "monotone.effect_sums"]
before = {name: list(REGISTRY[name].signatures) for name in names}
infer_direction(*points(40))
print(all(len(forms) == 1 for forms in before.values()))
print(before == {name: list(REGISTRY[name].signatures) for name in names})
"""

STOPPED = """
import signal, time
from anmmm._ahead import compile_ahead

# Where the tests themselves run in the background, they are started without it.
signal.signal(signal.SIGINT, signal.default_int_handler)

def part():
    print("begun", flush=True)
    time.sleep(3600.0)

try:
    compile_ahead([part] * 2, n_jobs=2)
except KeyboardInterrupt:
    print("stopped")
"""


# Numba asks what a kernel's arguments are again in every call if it holds one form twice.
TWICE = """
from anmmm import infer_direction
from anmmm._ahead import points
from anmmm._kernels._jit import REGISTRY

infer_direction(*points(40))
calls = []
for dispatcher in REGISTRY.values():
    dispatcher._compile_for_args = lambda *arguments: calls.append(arguments)
infer_direction(*points(40))
print(len(calls))
"""


@pytest.mark.slow
def test_a_process_that_compiles_holds_each_kernel_once(tmp_path):
    env = {"NUMBA_CACHE_DIR": str(tmp_path)}
    assert python("-c", TWICE, env=env.items()).stdout == "0\n"


def test_parts_compile_what_a_decision_calls():
    assert python("-c", FORMS).stdout.split() == ["True", "True"]


def test_parts_run_in_this_process_and_in_another(tmp_path):
    def part():
        (tmp_path / str(os.getpid())).touch()
        ends = time.monotonic() + LIMIT
        while len(list(tmp_path.iterdir())) < 2 and time.monotonic() < ends:
            time.sleep(0.01)

    compile_ahead([part] * 2, n_jobs=2)
    processes = {int(path.name) for path in tmp_path.iterdir()}
    assert os.getpid() in processes
    assert len(processes) == 2


def test_what_cannot_be_shared_is_left_to_the_first_call(monkeypatch):
    def fail(*_args, **_options):
        raise OSError("no room, or no semaphores")

    compile_ahead([fail, fail], n_jobs=2)
    monkeypatch.setattr("anmmm._ahead.ProcessPoolExecutor", fail)
    compile_ahead(DECISION, n_jobs=2)
    monkeypatch.setattr("anmmm._ahead.ProcessPoolExecutor", pytest.fail)
    compile_ahead(DECISION, 1)
    compile_ahead((), 2)


@pytest.mark.skipif(os.name != "posix", reason="signals are sent")
def test_ctrl_c_does_not_wait_for_the_parts():
    program = running("-c", STOPPED)
    # A worker that is interrupted while it starts prints a traceback.
    assert [program.stdout.readline() for _ in range(2)] == ["begun\n"] * 2
    program.send_signal(signal.SIGINT)
    out, err = program.communicate(timeout=LIMIT)
    assert (out, err) == ("stopped\n", "")
