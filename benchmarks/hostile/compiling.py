"""Commands ended by a signal while kernels are compiled, at random moments: a quiet end, soon."""

import os
import signal
import subprocess
import sys
import time

import numpy as np

# From the signal to the end.
LIMIT = 20.0


def cases(rng, count, folder):
    x, noise = np.random.default_rng(0).normal(size=(2, 60))
    table = np.column_stack([x, np.tanh(2 * x) + 0.2 * noise])
    np.savetxt(folder / "data.csv", table, delimiter=",", header="a,b", comments="")
    for number in range(count):
        name = ("SIGINT", "SIGTERM")[number % 2]
        wait = float(rng.uniform(1.0, 12.0))
        command = subprocess.Popen(
            [sys.executable, "-m", "anmmm", "direction", str(folder / "data.csv")],
            env=os.environ | {"NUMBA_CACHE_DIR": str(folder / str(number))},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        what = f"case {number}: {name} after {wait:.2f} s"
        time.sleep(wait)
        if command.poll() is not None:
            yield what, None
            continue
        sent = getattr(signal, name)
        command.send_signal(sent)
        try:
            _, said = command.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            command.kill()
            command.communicate()
            yield what, f"goes on for {LIMIT:g} s"
            continue
        if command.returncode != 128 + sent:
            yield what, f"exit status {command.returncode}: {said[-200:]}"
        else:
            loud = "Traceback" in said or "Exception ignored" in said
            yield what, said[-300:] if loud else None
