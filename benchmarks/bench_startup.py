"""asv: what a user waits for before the first result."""

from __future__ import annotations

COLD = (
    "import os, tempfile\n"
    "os.environ['NUMBA_CACHE_DIR'] = tempfile.mkdtemp()\n"
    "import anmmm\n"
    "anmmm.warm_up()"
)


class Startup:
    """Import and first call, each statement timed in a process of its own.

    `import anmmm` is to stay within 0.4 s of `import numba`. A cold `warm_up` compiles every serial
    kernel, a warm one loads them from the disk cache.
    """

    timeout = 300

    def timeraw_import_numba(self) -> str:
        return "import numba"

    def timeraw_import_anmmm(self) -> str:
        return "import anmmm"

    def timeraw_first_call_with_warm_cache(self) -> tuple[str, str]:
        return "anmmm.warm_up()", "import anmmm"

    def timeraw_import_and_first_call_with_cold_cache(self) -> str:
        return COLD


Startup.timeraw_import_numba.number = 1  # type: ignore[attr-defined]
Startup.timeraw_import_anmmm.number = 1  # type: ignore[attr-defined]
Startup.timeraw_first_call_with_warm_cache.number = 1  # type: ignore[attr-defined]
Startup.timeraw_import_and_first_call_with_cold_cache.number = 1  # type: ignore[attr-defined]
