"""The adapters against the real libraries, each in a fresh virtual environment of its own.

    python tests/interop                     # all of them, some minutes each
    python tests/interop pgmpy causal-learn  # some
    python tests/interop pgmpy==1.1.0        # another version than the newest
    python tests/interop --light             # those that install in under two minutes
    python tests/interop --list

Installs the package with pip, then the neighbor, runs the tests of its adapter, those of the signs
and its example in docs/guide/interop.md, and prints what was installed, how long it took and how
large it is. Exits with 1 if any failed. ``--keep FOLDER`` leaves the environments there, and takes
those that are there already.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
COMMON = ["pytest", "hypothesis", "pandas", "polars", "networkx"]
# What pip is asked for beside the package. Light ones install in under two minutes on two cores.
NEIGHBORS = {
    "causal-learn": ["causal-learn"],
    "pgmpy": ["pgmpy"],
    "gcastle": ["gcastle"],
    "lingam": ["lingam"],
    "dowhy": ["dowhy"],
    # It needs torch and does not say so. PyPI's is that of GPUs, 5 GB; ANMMM_TEST_TORCH names one
    # for processors alone, such as torch==2.13.0+cpu, where pip has an index of these.
    "cdt": ["cdt", os.environ.get("ANMMM_TEST_TORCH", "torch")],
}
LIGHT = ("causal-learn", "pgmpy", "gcastle")


def main():
    parser = argparse.ArgumentParser(description="Adapters against the real libraries.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NEIGHBORS)}")
    parser.add_argument("--light", action="store_true", help="only what installs fast")
    parser.add_argument("--list", action="store_true", help="print the names")
    parser.add_argument("--keep", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    unknown = sorted({name.partition("==")[0] for name in options.names} - set(NEIGHBORS))
    if unknown:
        parser.error(f"no neighbor is called {unknown[0]}; there are {', '.join(NEIGHBORS)}")
    names = options.names or (LIGHT if options.light else list(NEIGHBORS))
    if options.list:
        print("\n".join(names))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        passed = [run(name, options.keep or Path(folder)) for name in names]
    return 0 if all(passed) else 1


def run(asked, folder):
    """Install one neighbor, test it, and print a line of a table; True where all passed."""
    name, _, version = asked.partition("==")
    environment = folder / asked
    python = environment / "bin" / "python"
    began = time.monotonic()
    # Of one call, so that pip finds versions that go together.
    wanted = [ROOT, *COMMON, *NEIGHBORS[name][1:], asked if version else NEIGHBORS[name][0]]
    if python.exists():
        wanted = ["--no-deps", "--force-reinstall", ROOT]
    else:
        venv.create(environment, with_pip=True)
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if subprocess.run([*pip, *wanted], check=False).returncode:
        print(f"| {asked} | could not be installed |", flush=True)
        return False
    built = time.monotonic()
    # The installed package is what is tested.
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    module = f"test_with_{name.replace('-', '_')}.py"
    files = [HERE / module, HERE / "test_adapters_agree.py", HERE / "test_interop_page.py"]
    # Without the options of the suite, whose plugins are not all needed here.
    tests = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "addopts=", *files]
    ended = subprocess.run(tests, cwd=ROOT, env=clean, check=False)
    size = sum(file.stat().st_size for file in environment.rglob("*") if file.is_file())
    freeze = subprocess.run(
        [python, "-m", "pip", "freeze"], capture_output=True, text=True, check=True
    )
    named = {NEIGHBORS[name][0], "numpy", "scipy"}
    versions = [line for line in freeze.stdout.split() if line.partition("==")[0] in named]
    state = "passed" if ended.returncode == 0 else "FAILED"
    print(
        f"| {asked} | {', '.join(versions)} | {state} | installed in {built - began:.0f} s, "
        f"{size / 1e6:.0f} MB | tested in {time.monotonic() - built:.0f} s |",
        flush=True,
    )
    return ended.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
