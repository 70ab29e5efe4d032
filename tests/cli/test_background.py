from pathlib import Path

from waiting import python


def test_what_tests_in_the_background_start_can_be_interrupted():
    child = "import signal, sys; sys.exit(signal.getsignal(signal.SIGINT) is signal.SIG_IGN)"
    code = (
        "import signal, subprocess, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); "
        f"import conftest; sys.exit(subprocess.call([sys.executable, '-c', {child!r}]))"
    )
    python("-c", code, cwd=Path(__file__).parents[1])
