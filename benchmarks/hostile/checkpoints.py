"""Checkpoints that are damaged, or written by others: the same rows, or a refusal by name."""

import json
import sqlite3
from contextlib import closing

import numpy as np
from stubs import Source, run

from anmmm import infer_graph
from anmmm.collection import CheckpointError
from anmmm.collection.checkpoint import Checkpoint, _digest
from anmmm.collection.schema import DIRECTIONS

PAIRS = 12
VALUES = (None, True, -1, 0, 7, 2**70, 0.5, -3.5, 1e308, "", "ok", "x→y", [], [1], {}, {"a": [[]]})
# Causes and lengths of the fits of graphs.
KEYS = ("0", "0 1", "1 2", "2 0 1", "0 0", "0 1 1", "3", "-1", "a", " ", "²", "9" * 5000)
NATS = (*VALUES, -5000.0, -1e15, -1e17, -1e300, float("nan"), float("-inf"))
TEXTS = ("", "{", "[" * 20_000, "9" * 5000, '"a"', "null", '["", []]', '{"source": null}', "\x00")
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


def forged(rng, path):
    """Write content with the digest that belongs to it, or other tables."""
    with closing(sqlite3.connect(path)) as database:
        if rng.random() < 0.1:
            script = SCHEMAS[rng.integers(len(SCHEMAS))]
            database.executescript(script)
            return script
        position = int(rng.integers(-1, PAIRS))
        (text,) = database.execute(
            "SELECT content FROM rows WHERE position = ?", (position,)
        ).fetchone()
        value = VALUES[rng.integers(len(VALUES))]
        content = json.loads(text)
        if rng.random() < 0.2:
            text = TEXTS[rng.integers(len(TEXTS))]
        elif position < 0:
            content[str(rng.choice([*content, "more"]))] = value
            text = json.dumps(content)
        elif rng.random() < 0.3:
            content[int(rng.integers(2))] = value
            text = json.dumps(content)
        else:
            content[1][int(rng.integers(len(content[1])))] = value
            text = json.dumps(content)
        to = position if rng.random() < 0.9 else int(rng.integers(-5, 2**40))
        row = (to, text, _digest(to, text))
        database.execute("INSERT OR REPLACE INTO rows VALUES (?, ?, ?)", row)
        database.commit()
    return f"position {to}: {text[:80]}"


def graph_cases(rng, count, path):
    """Forge a fit of a graph: the search ends, or the file is refused by name."""
    a, *noise = rng.normal(size=(3, 60))
    table = np.column_stack([a, np.tanh(2 * a) + 0.3 * noise[0], noise[1]])
    infer_graph(table, checkpoint=path, common_cause=False)
    content = path.read_bytes()
    for _ in range(count):
        path.write_bytes(content)
        key, nats = KEYS[rng.integers(len(KEYS))], NATS[rng.integers(len(NATS))]
        with closing(Checkpoint(path)) as log:
            log.add([(0, key, nats)])
        fault = None
        try:
            infer_graph(table, checkpoint=path, common_cause=False)
        except CheckpointError as error:
            fault = None if str(error).startswith(f"{path}: is damaged") else str(error)
        except Exception as error:
            fault = f"{type(error).__name__}: {error}"
        yield f"graph: {key[:20]!r} of {nats!r:.20} nats", fault


def cases(rng, count, folder):
    yield from graph_cases(rng, count // 20, folder / "graph")
    path = folder / "c"
    whole = run(Source(PAIRS), checkpoint=path).to_list()
    content = path.read_bytes()
    for number in range(count):
        is_forged = number % 2 == 1
        if is_forged:
            path.write_bytes(content)
            what = forged(rng, path)
        else:
            data, what = damaged(rng, content)
            path.write_bytes(data)
        try:
            rows = run(Source(PAIRS), checkpoint=path).to_list()
            # What a row can hold nobody can tell from another.
            is_safe = is_forged and all(DIRECTIONS.row(DIRECTIONS.reader()(row)) for row in rows)
        except CheckpointError as error:
            named = str(error).startswith(f"{path}: is ") or "is not the one that was" in str(error)
            yield what, None if named else f"refused without name: {error}"
        except Exception as error:
            yield what, f"{type(error).__name__}: {error}"
        else:
            yield what, None if rows == whole or is_safe else "other rows"
