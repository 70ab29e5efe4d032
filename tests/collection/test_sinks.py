import csv
import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anmmm
from anmmm.collection.records import PairResult
from anmmm.collection.results import PairResults
from anmmm.collection.schema import CLUSTERS, DIRECTIONS, SCHEMA_VERSION
from anmmm.collection.sinks import write_rows
from waiting import largest_file

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

ROWS = [
    PairResult("a, b", "ok", n=30, direction=1, score=0.1 + 0.2, converged=True, seconds=0.5),
    PairResult("ü", "unusable", 'y is "constant"', n=None, truth=-1, weight=0.25, group="air"),
    PairResult("c", "ok", n=12, direction=-1, score=np.float64(-1e-300), confidence=np.nan),
]
SUFFIX = pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])


def broken_off(error):
    yield ROWS[0]
    raise error


def read(path):
    """Rows of a file as dicts; cells of CSV stay text."""
    if path.suffix == ".parquet":
        return parquet.read_table(path).to_pylist()
    if path.suffix == ".csv":
        with path.open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))
    return list(map(json.loads, path.read_text(encoding="utf-8").split("\n")[:-1]))


def test_the_documentation_names_every_column_and_the_version():
    page = Path(__file__).parents[2] / "docs" / "guide" / "collections.md"
    text = page.read_text(encoding="utf-8")
    names = {*DIRECTIONS.columns, *CLUSTERS.columns}
    assert not {name for name in names if f"`{name}`" not in text}
    assert f"Version {SCHEMA_VERSION} of the schema" in text


@SUFFIX
def test_equal_results_make_equal_files_whatever_they_took(tmp_path, suffix):
    names = [tmp_path / f"{name}{suffix}" for name in "abc"]
    slower = [PairResult(**{**row.to_dict(), "seconds": 9.0}) for row in ROWS]
    write_rows(names[0], ROWS, DIRECTIONS)
    write_rows(names[1], slower, DIRECTIONS)
    write_rows(names[2], slower, DIRECTIONS, timings=True)
    assert names[0].read_bytes() == names[1].read_bytes()
    assert [row["seconds"] for row in read(names[0])] == [None if suffix != ".csv" else ""] * 3
    assert [float(row["seconds"]) for row in read(names[2])] == [9.0] * 3


def test_parquet_says_kind_and_version_and_has_groups_of_one_size(tmp_path):
    path = tmp_path / "r.parquet"
    write_rows(path, (ROWS[0] for _ in range(25_000)), DIRECTIONS)
    file = parquet.ParquetFile(path)
    metadata = file.schema_arrow.metadata
    assert metadata[b"anmmm.kind"] == b"directions"
    assert metadata[b"anmmm.schema_version"] == str(SCHEMA_VERSION).encode()
    assert metadata[b"anmmm.version"] == anmmm.__version__.encode()
    sizes = [file.metadata.row_group(at).num_rows for at in range(file.num_row_groups)]
    assert sizes == [10_000, 10_000, 5_000]
    assert str(file.schema_arrow.field("n").type) == "int64"


@SUFFIX
def test_an_interrupted_file_is_not_there(tmp_path, suffix):
    path = tmp_path / f"r{suffix}"
    path.write_text("pair_id,x,y,cause,effect,n,old")
    with pytest.raises(KeyboardInterrupt):
        write_rows(path, broken_off(KeyboardInterrupt), DIRECTIONS, force=True)
    assert path.read_text() == "pair_id,x,y,cause,effect,n,old"
    assert os.listdir(tmp_path) == [path.name]


@SUFFIX
def test_an_existing_file_is_replaced_only_by_force(tmp_path, suffix):
    path = tmp_path / f"notes{suffix}"
    path.write_text("mine, and nobody else's")
    with pytest.raises(FileExistsError, match=r"exists.*force=True.*notes"):
        write_rows(path, ROWS, DIRECTIONS)
    assert path.read_text() == "mine, and nobody else's"
    assert write_rows(path, ROWS, DIRECTIONS, force=True) == len(ROWS)
    path.write_text("")
    assert write_rows(path, ROWS, DIRECTIONS) == len(ROWS)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX limits")
@SUFFIX
def test_a_full_disk_names_the_file(tmp_path, suffix):
    path = tmp_path / f"r{suffix}"
    rows = (PairResult(f"{n:050d}", "ok", score=n / 7) for n in range(40_000))
    with largest_file(20_000), pytest.raises(OSError, match=r"File too large") as caught:
        write_rows(path, rows, DIRECTIONS)
    assert caught.value.filename == str(path)
    assert os.listdir(tmp_path) == []


def test_an_error_of_the_rows_keeps_its_own_words(tmp_path):
    with pytest.raises(OSError, match=r"^connection closed$"):
        write_rows(tmp_path / "r.csv", broken_off(OSError("connection closed")), DIRECTIONS)


def test_without_pyarrow_the_extra_is_named(tmp_path, monkeypatch):
    def refuse(name):
        raise ModuleNotFoundError(name)

    monkeypatch.setattr("anmmm._optional.import_module", refuse)
    with pytest.raises(ImportError, match=r'need PyArrow.*pip install "anmmm\[parquet\]"'):
        write_rows(tmp_path / "r.parquet", ROWS, DIRECTIONS)
    with pytest.raises(ImportError, match=r"a data frame needs pandas"):
        PairResults(iter(()), DIRECTIONS, 0).to_pandas()


def test_names_that_are_no_text_are_spelled_out(tmp_path):
    write_rows(tmp_path / "r.csv", [PairResult("p\udcff", "ok")], DIRECTIONS)
    assert read(tmp_path / "r.csv")[0]["pair_id"] == "p\\udcff"


number = st.none() | st.floats(allow_nan=False, allow_infinity=False)
whole = st.none() | st.integers(-(2**62), 2**62)
text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"), max_size=8)


@settings(max_examples=40)
@given(rows=st.lists(st.builds(PairResult, text, text, text, n=whole, score=number), max_size=4))
def test_every_row_reads_back_exactly(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("sink")
    for path in (folder / "r.parquet", folder / "r.jsonl"):
        write_rows(path, rows, DIRECTIONS, timings=True)
        assert read(path) == [row.to_dict() for row in rows]
