import os
import signal

import pytest

from anmmm.cli import Ended, _end_on_signals
from subprocess_helpers import python

pytestmark = [
    pytest.mark.usefixtures("own_signals"),
    pytest.mark.skipif(os.name == "nt", reason="POSIX signals"),
]
NUMBERS = [signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGHUP", None)]


@pytest.mark.parametrize("number", NUMBERS)
def test_the_first_signal_raises_and_the_second_ends_the_process(number):
    received = _end_on_signals()
    with pytest.raises(Ended):
        signal.raise_signal(number)
    assert received == [number]
    assert {signal.getsignal(listened) for listened in NUMBERS} == {signal.SIG_DFL}


def test_ignored_signals_and_handlers_of_others_stay():
    heard = []
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda number, frame: heard.append(number))
    received = _end_on_signals()
    signal.raise_signal(signal.SIGHUP)
    signal.raise_signal(signal.SIGTERM)
    with pytest.raises(Ended):
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    assert heard == [signal.SIGTERM]
    assert received == [signal.SIGINT]


def test_ctrl_c_while_the_command_loads_has_no_traceback():
    # Python's own answer is one, from wherever the imports are.
    script = (
        "import signal, anmmm; handler = signal.getsignal(signal.SIGINT); import anmmm.__main__; "
        "print(handler is signal.default_int_handler, signal.getsignal(signal.SIGINT).name)"
    )
    assert python("-c", script).stdout == "True SIG_DFL\n"
