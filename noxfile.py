"""Checks of the hosted CI and of ``.ci/run``, each in a fresh environment of its own.

``nox --list`` lists them, ``nox -s tests -- -x`` passes options on, ``nox -P 3.13 -s tests`` takes
another Python. Variables such as ``NUMBA_CPU_NAME=generic`` reach the tests.
"""

import os
import re
import shlex
import shutil
import tarfile
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

import nox
from packaging.requirements import Requirement
from packaging.version import Version

README = Path("README.md").read_text(encoding="utf-8")
NUMERICAL = ["tests/_kernels", "tests/gppom", "tests/mixture", "tests/evidence"]
# Libraries of the adapters. cdt needs torch and does not say so; PyPI's is that of GPUs, 5 GB.
NEIGHBORS = {
    "causal_learn": ["causal-learn"],
    "cdt": ["cdt", os.environ.get("ANMMM_TEST_TORCH", "torch")],
    "dowhy": ["dowhy"],
    "gcastle": ["gcastle"],
    "lingam": ["lingam"],
    "pgmpy": ["pgmpy"],
}
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MPLBACKEND": "Agg",
    # Windows has no arrows in its own encodings.
    "PYTHONUTF8": "1",
}


def readme_commands():
    """Return what the README's two commands do: install, try, install for tests, test."""
    commands = re.findall(r"^```sh\n(pip install .* && .*)\n```$", README, re.MULTILINE)
    if len(commands) != 2:
        raise ValueError("README.md must show two commands that begin with 'pip install'")
    return [shlex.split(part) for command in commands for part in command.split("&&")]


def check_table(session, command):
    """Fail if the command prints other lines than the README, which shortens some by "…"."""
    (table,) = re.findall(r"^```text\n(.*?)\n```$", README, re.MULTILINE | re.DOTALL)
    shown = [line for line in table.splitlines() if "…" not in line]
    printed = session.run(*command, env=ENVIRONMENT, silent=True)
    session.log(printed)
    missing = set(shown) - set(printed.splitlines())
    if missing:
        session.error(f"README.md shows lines that {command} does not print: {missing}")


def run_pytest(session, *arguments, **variables):
    """Run pytest with a worker for each core."""
    session.run("pytest", "-n", "logical", *arguments, env=ENVIRONMENT | variables)


@nox.session
def lint(session):
    """Run ruff and mypy."""
    session.install(".[dev]")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy")


@nox.session
def tests(session):
    """Run the README's two commands, and compare the table that the first one prints."""
    install, example, install_tests, test = readme_commands()
    session.run(*install)
    check_table(session, example)
    session.run(*install_tests)
    session.run(*test, *session.posargs, env=ENVIRONMENT)


@nox.session
def slow(session):
    """Run the tests of the benchmarks, and the slow tests."""
    session.install(".[dev]")
    run_pytest(session, "benchmarks/tests")
    run_pytest(session, "-m", "slow and not long", "tests", "benchmarks/tests")


@nox.session
def processor(session):
    """Run numerical tests with the linear algebra of an older processor."""
    session.install(".[dev]")
    core = os.environ.get("OPENBLAS_CORETYPE", "Haswell")
    run_pytest(session, *(session.posargs or NUMERICAL), OPENBLAS_CORETYPE=core)


@nox.session
def oldest(session):
    """Run numerical tests, or those that are named, with the oldest versions allowed."""
    project = nox.project.load_toml("pyproject.toml")["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    python = {"python_version": session.python} if session.python else None
    versions = {}
    for requirement in map(Requirement, chain.from_iterable(groups)):
        if requirement.marker and not requirement.marker.evaluate(python):
            continue
        for bound in requirement.specifier:
            if bound.operator == ">=":
                lowest = versions.get(requirement.name, Version("0"))
                versions[requirement.name] = max(lowest, Version(bound.version))
    constraints = Path(session.create_tmp(), "oldest.txt")
    constraints.write_text("".join(f"{name}=={low}.*\n" for name, low in versions.items()))
    session.install("--constraint", str(constraints), ".[test]")
    run_pytest(session, *(session.posargs or NUMERICAL))


@nox.session(default=False)
@nox.parametrize("neighbor", list(NEIGHBORS))
def interop(session, neighbor):
    """Test an adapter with its library, or with a version: ``-- pgmpy==1.1.0``."""
    needed = ["pytest", "hypothesis", "pandas", "polars", "networkx"]
    # At once, so that pip finds versions that go together.
    session.install(".", *needed, *NEIGHBORS[neighbor], *session.posargs)
    names = [f"test_with_{neighbor}", "test_adapters_agree", "test_interop_page"]
    files = [f"tests/interop/{name}.py" for name in names]
    # Without the options of the suite, whose plugins are not all needed here.
    session.run("pytest", "-q", "-o", "addopts=", *files, env=ENVIRONMENT)


@nox.session
def docs(session):
    """Build the site into site/, warnings are errors; open it in a browser, if there is one."""
    session.install(".[dev,docs]")
    shutil.rmtree("site", ignore_errors=True)
    session.run("sphinx-build", "-qWn", "--keep-going", "docs", "site", env=ENVIRONMENT)
    site = ENVIRONMENT | {"ANMMM_SITE": "site"}
    session.run("pytest", "-m", "slow", "tests/test_browser.py", env=site)


@nox.session
def speed(session):
    """Run some benchmarks once, of the last commit, in asv's own environment."""
    session.install(".[dev]")
    pip_cache = session.run("pip", "cache", "dir", silent=True).strip()
    with TemporaryDirectory() as folder:
        clone = str(Path(folder, "clone"))
        session.run("git", "clone", "--quiet", ".", clone, external=True)
        session.run("git", "-C", clone, "checkout", "--quiet", "-B", "main", external=True)
        # What asv remembers of machines lies in the home.
        home = ENVIRONMENT | {"HOME": folder, "PIP_CACHE_DIR": pip_cache}
        # Some that compile little; `asv check` looks at all.
        some = ["--bench", r"Growth\.time_call\('(dense|low rank|fit)'"]
        once = ["--quick", "--show-stderr", "--launch-method", "forkserver"]
        with session.chdir(clone):
            session.run("asv", "machine", "--yes", env=home)
            session.run("asv", "check", env=home)
            session.run("asv", "run", *once, *some, env=home)


@nox.session
def release(session):
    """Build sdist and wheel into dist/, check them, run the sdist's tests against the wheel."""
    shutil.rmtree("dist", ignore_errors=True)
    session.install("build", "twine", "check-wheel-contents")
    session.run("python", "-m", "build")
    (sdist,) = Path("dist").resolve().glob("*.tar.gz")
    (wheel,) = Path("dist").resolve().glob("*.whl")
    session.run("twine", "check", "--strict", str(sdist), str(wheel))
    session.run("check-wheel-contents", str(wheel))
    session.install(f"{wheel}[test]")
    check_table(session, readme_commands()[1])
    with TemporaryDirectory() as folder, tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
        (unpacked,) = Path(folder).iterdir()
        # The tests are to import the wheel.
        shutil.rmtree(unpacked / "src")
        with session.chdir(unpacked):
            run_pytest(session, *session.posargs)
