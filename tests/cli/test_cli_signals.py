import os
import signal

import pytest

from anmmm.cli import _exit_on_signals
from anmmm.cli.run import _kept_checkpoint
from anmmm.collection.checkpoint import Checkpoint, CheckpointError
from subprocess_helpers import python

pytestmark = [
    pytest.mark.usefixtures("own_signals"),
    pytest.mark.skipif(os.name == "nt", reason="POSIX signals"),
]


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_the_first_signal_exits_and_the_second_ends_the_process(name):
    number = getattr(signal, name)
    _exit_on_signals()
    with pytest.raises(SystemExit) as caught:
        signal.raise_signal(number)
    assert caught.value.code == 128 + number
    assert signal.getsignal(number) == signal.SIG_DFL


def test_ignored_signals_stay():
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    _exit_on_signals()
    assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN


def test_ctrl_c_while_the_command_loads_has_no_traceback():
    # Python's own answer is one, from wherever the imports are.
    script = (
        "import signal, anmmm; handler = signal.getsignal(signal.SIGINT); import anmmm.__main__; "
        "print(handler is signal.default_int_handler, signal.getsignal(signal.SIGINT).name)"
    )
    assert python("-c", script).stdout == "True SIG_DFL\n"


def test_a_checkpoint_that_another_run_has_opened_stays(tmp_path):
    path = tmp_path / "rows.csv.checkpoint"
    with Checkpoint(path) as other:
        other.add("digest", 1)
        with pytest.raises(CheckpointError, match="another run"), _kept_checkpoint(str(path)):
            raise KeyboardInterrupt
        assert path.exists()
