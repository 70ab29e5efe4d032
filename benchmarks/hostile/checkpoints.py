"""Checkpoints that are damaged, or have other tables: the same rows, or an error with the name."""

import sqlite3
from contextlib import closing

from stubs import Source, run

from anmmm.collection import CheckpointError

PAIRS = 12
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, i, i FROM n"
SCHEMAS = (
    f"DROP TABLE rows; CREATE VIEW rows AS {ENDLESS}",
    "CREATE VIEW more AS SELECT * FROM rows",
    "CREATE TRIGGER t AFTER INSERT ON rows BEGIN DELETE FROM rows; END",
    "CREATE INDEX i ON rows (content)",
    "ALTER TABLE rows ADD COLUMN more",
    "DROP TABLE rows; CREATE TABLE rows (position, content, digest)",
    "DROP TABLE rows",
)


def damaged(rng, content):
    if rng.random() < 0.75:
        at = int(rng.integers(8 * len(content)))
        content = bytearray(content)
        content[at // 8] ^= 1 << at % 8
        return bytes(content), f"bit {at % 8} of byte {at // 8}"
    at = int(rng.integers(len(content)))
    return content[:at], f"cut to {at} bytes"


def foreign(rng, path):
    """Change the tables of a checkpoint."""
    script = SCHEMAS[rng.integers(len(SCHEMAS))]
    with closing(sqlite3.connect(path)) as database:
        database.executescript(script)
    return script


def cases(rng, count, folder):
    path = folder / "c"
    whole = run(Source(PAIRS), checkpoint=path).to_list()
    content = path.read_bytes()
    for number in range(count):
        if number % 10 == 9:
            path.write_bytes(content)
            what = foreign(rng, path)
        else:
            data, what = damaged(rng, content)
            path.write_bytes(data)
        try:
            rows = run(Source(PAIRS), checkpoint=path).to_list()
        except CheckpointError as error:
            named = str(error).startswith(f"{path}: is ") or "is not the one that was" in str(error)
            yield what, None if named else f"refused without name: {error}"
        except Exception as error:
            yield what, f"{type(error).__name__}: {error}"
        else:
            yield what, None if rows == whole else "other rows"
