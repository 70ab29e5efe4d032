"""What a user waits for before the first result; every call in a fresh process."""

from __future__ import annotations

from .compiled import Compiled

WORK = {
    "direction": "infer_direction(x, y)",
    "clusters": "cluster_mechanisms(x, y, random_state=0)",
}
IMPORTS = """
from anmmm import cluster_mechanisms, infer_direction
from anmmm.datasets import make_anm_mixture
x, y, _ = make_anm_mixture("f3", 100, random_state=0)
"""
EMPTY_CACHE = """
import os, tempfile
folder = tempfile.TemporaryDirectory()
os.environ["NUMBA_CACHE_DIR"] = folder.name
"""


class Startup(Compiled):
    """Imports and first calls, machine code on the disk.

    `import anmmm` is to stay within 0.4 s of `import numba`.
    """

    def timeraw_import_numba(self) -> str:
        return "import numba"

    def timeraw_import_anmmm(self) -> str:
        return "import anmmm"

    def timeraw_import_functions(self) -> str:
        return IMPORTS

    def timeraw_warm_up(self) -> tuple[str, str]:
        return "anmmm.warm_up()", "import anmmm"


class FirstResult(Compiled):
    """The first result after the imports, machine code on the disk."""

    param_names = ("work",)
    params = (tuple(WORK),)

    def timeraw_warm_cache(self, work: str) -> tuple[str, str]:
        return WORK[work], IMPORTS


class FirstInstallation:
    """The first result after the imports where nothing was ever compiled."""

    param_names = ("work",)
    params = ((*WORK, "warm_up"),)
    timeout = 600
    # Every call compiles; two are enough to see that they agree.
    repeat, rounds, warmup_time = 2, 1, 0.0

    def timeraw_cold_cache(self, work: str) -> tuple[str, str]:
        return WORK.get(work, "anmmm.warm_up()"), f"{EMPTY_CACHE}import anmmm\n{IMPORTS}"
