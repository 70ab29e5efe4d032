"""Run a collection again and again, killed at random moments, until one run comes to its end.

``python run_until_killed.py FOLDER COUNT KILLS`` prints how many runs were killed. It forks, so
that the imports, which take longer than a run, are paid for once.
"""

import os
import random
import signal
import sys
import time

from stubs import Source, run


def collection(folder, count):
    rows = run(Source(count), checkpoint=f"{folder}/checkpoint", rest=0.001)
    rows.write(f"{folder}/rows.csv")


def main(folder, count, kills):
    draw = random.Random(int(kills))
    killed = 0
    while True:
        child = os.fork()
        if child == 0:
            collection(folder, int(count))
            os._exit(0)
        if killed < int(kills):
            time.sleep(draw.uniform(0.02, 0.3))
            os.kill(child, signal.SIGKILL)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if status == 0:
            print(killed)
            return
        assert status == -signal.SIGKILL
        killed += 1


if __name__ == "__main__":
    main(*sys.argv[1:])
