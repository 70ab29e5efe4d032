"""Fixtures that many tests share.

Pytest puts this folder on ``sys.path`` (its default import mode), so a test at any depth reads the
slow truth by ``import oracle``; names of test files must therefore differ across folders.
"""

import json
import os
import signal
import sys
import tempfile
import threading
from pathlib import Path

# Workers of pytest-xdist share the processors, and so do the libraries' threads in them and in what
# they start: threads of BLAS that wait for one another on a busy processor make tests that take a
# second take a minute. Before NumPy is imported, since libraries look when they are loaded.
WORKERS = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
if WORKERS > 1:
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // WORKERS)))

import numpy as np  # noqa: E402
import pytest  # noqa: E402
from hypothesis import HealthCheck, settings  # noqa: E402

# Before Numba is imported: more threads than a small machine has cores, so that a result that
# depends on the number of threads shows everywhere.
os.environ.setdefault("NUMBA_NUM_THREADS", "4")

# Kept, so that the next run is fast; the package tells the machine code of its versions apart.
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(tempfile.gettempdir(), "anmmm-numba")))

# A shell that starts the tests in the background has them, and all that they start, ignore Ctrl-C,
# and nohup the hanging up.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if os.name != "nt" and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# The same examples everywhere and each time, and none that fails for being slow on some machine.
SUITE = {"derandomize": True, "deadline": None, "print_blob": True}
settings.register_profile("suite", suppress_health_check=[HealthCheck.too_slow], **SUITE)
# Other examples each time, and more of them: ``pytest --hypothesis-profile search``.
settings.register_profile(
    "search", settings.get_profile("suite"), derandomize=False, max_examples=2000
)
# Before any test is imported, since ``@settings`` takes from here what it does not name; the
# option comes later than this file, and has the last word.
settings.load_profile("suite")


@pytest.fixture(autouse=True, scope="session")
def compiling_is_not_announced():
    """Have no test depend on whether it is the first that compiles."""
    from anmmm._compiling import LISTENERS

    LISTENERS.clear()


@pytest.fixture
def rng():
    return np.random.default_rng(20181203)


@pytest.fixture
def spied(monkeypatch):
    """Record the calls of a function: their arguments, options and results."""

    def spy(owner, name):
        original, calls = getattr(owner, name), []

        def called(*arguments, **options):
            result = original(*arguments, **options)
            calls.append((arguments, options, result))
            return result

        monkeypatch.setattr(owner, name, called)
        return calls

    return spy


@pytest.fixture
def numba_threads():
    """Return Numba, with two threads or more, and reset their number afterwards."""
    import numba

    if numba.config.NUMBA_NUM_THREADS < 2:
        pytest.skip("NUMBA_NUM_THREADS allows one thread only")
    before = numba.get_num_threads()
    yield numba
    numba.set_num_threads(before)


@pytest.fixture
def same_bits_under_each_thread_count(numba_threads):
    """Assert that a function returns the same array under 1, 2, ... Numba threads."""

    def run(function):
        results = []
        for n_threads in range(1, numba_threads.config.NUMBA_NUM_THREADS + 1):
            numba_threads.set_num_threads(n_threads)
            results.append(function())
            np.testing.assert_array_equal(results[-1], results[0])

    return run


@pytest.fixture
def own_signals():
    """Give back the handlers of signals that the command line leaves ignored at its end."""
    numbers = [
        getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
    ]
    before = [signal.getsignal(number) for number in numbers]
    hook = threading.excepthook

    def give_back():
        threading.excepthook = hook
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)

    yield give_back
    give_back()


@pytest.fixture
def run(monkeypatch, capsys, tmp_path, own_signals):
    """Run a command in a folder of its own; returns (exit status, stdout, stderr)."""
    from anmmm import cli

    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["anmmm", *map(str, arguments)])
        with pytest.raises(SystemExit) as exit_:
            cli.main()
        own_signals()
        captured = capsys.readouterr()
        return exit_.value.code or 0, captured.out, captured.err

    return call


@pytest.fixture
def printed(run):
    """Run a command that succeeds and writes only `messages`; return its output."""

    def call(*arguments, messages=""):
        status, out, err = run(*arguments)
        assert (status, err) == (0, messages)
        return out

    return call


@pytest.fixture
def document(run):
    """Run a command that succeeds and prints JSON; return it as Python objects."""

    def call(*arguments):
        status, out, _ = run(*arguments, "--json")
        assert status == 0
        return json.loads(out)

    return call


@pytest.fixture
def refused(run):
    """Run a command that is to end with status 2 and say one line; returns this line."""

    def call(*arguments):
        status, out, err = run(*arguments)
        assert (status, out, err.count("\n")) == (2, "", 1)
        return err

    return call


@pytest.fixture(autouse=True)
def _no_figure_left_open():
    """Close the figures of a test, such as an example of a page."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
