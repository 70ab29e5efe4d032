"""Files of rows: what is written is read back, whole or not at all."""

import csv
import os
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anmmm.collection import SourceError, read_rows
from anmmm.collection.files import file_columns, file_values
from anmmm.collection.records import PairClusters, PairResult
from anmmm.collection.results import PairResults
from drawn import write_rows
from subprocess_helpers import largest_file

pandas = pytest.importorskip("pandas")
pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

SUFFIX = pytest.mark.parametrize("suffix", [".csv", ".parquet"])
TESTED = {"relation": "y->x", "independence_pvalue": 5e-324, "check_pvalue": 1.0}
TESTED["probabilities"] = (0.1, 0.7, 0.1 + 0.1, 0.0)
ROWS = [
    PairResult("a, b", "ok", n=30, direction=1, score=0.1 + 0.2, converged=True, seconds=0.5),
    PairResult("ü\nnext", "unusable", 'y is "constant"', truth=-1, weight=0.25, group="air"),
    PairResult("NA", "ok", direction=0, score=-1e-300, confidence=0.5, converged=False),
    PairResult("", "error", "failed", model=None),
    PairResult("d", "ok", direction=-1, score=-0.1, confidence=0.97, seconds=1.0, **TESTED),
]


LABELS = {"labels": (0, 1, 0), "sizes": (2, 1), "refined": True}
CLUSTERS = [
    PairClusters("a", "ok", n=3, cause="x", n_mechanisms=2, **LABELS),
    PairClusters("b", "unusable", "constant"),
]


def written(folder, suffix, rows=ROWS, record=PairResult):
    path = folder / f"rows{suffix}"
    write_rows(path, rows, record)
    return path


# --- reading --------------------------------------------------------------------------------------


@SUFFIX
@pytest.mark.parametrize(
    ("rows", "record"), [(ROWS, PairResult), ([], PairResult), (CLUSTERS, PairClusters)]
)
def test_rows_read_back(tmp_path, suffix, rows, record):
    assert list(read_rows(written(tmp_path, suffix, rows, record), record)) == rows


# Not every version of Python quotes a carriage return.
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"), max_size=12)
numbers = st.none() | st.floats(allow_nan=False, allow_infinity=False)
directions = st.sampled_from([1, -1, 0])


@settings(max_examples=60)
@given(
    name=texts,
    notes=texts,
    score=numbers,
    direction=directions,
    truth=st.none() | directions,
    suffix=st.sampled_from([".csv", ".parquet"]),
)
def test_any_row_reads_back(tmp_path_factory, name, notes, score, direction, truth, suffix):
    row = PairResult(name, "ok", notes, direction=direction, score=score, truth=truth)
    path = written(tmp_path_factory.mktemp("rows"), suffix, [row, row])
    assert list(read_rows(path)) == [row, row]


def test_files_rewritten_by_pandas_read_back(tmp_path):
    frame = pandas.read_csv(written(tmp_path, ".csv"), keep_default_na=False)
    frame["later"] = 1.5
    frame[sorted(frame.columns)].to_csv(tmp_path / "other.csv", index=False)
    assert list(read_rows(tmp_path / "other.csv")) == ROWS
    frame = pandas.read_parquet(written(tmp_path, ".parquet"))
    frame[sorted(frame.columns)].to_parquet(tmp_path / "other.parquet")
    rows = list(read_rows(tmp_path / "other.parquet"))
    # Pandas writes missing numbers as NaN.
    assert [row.pair_id for row in rows] == [row.pair_id for row in ROWS]
    assert rows[-1] == ROWS[-1]


def with_cell(column, cell):
    """Return two lines of CSV with a cell of the second one replaced."""
    frame = pandas.DataFrame([file_values(ROWS[0]), {**file_values(ROWS[0]), column: cell}])
    return frame.to_csv(index=False).encode()


@pytest.mark.parametrize(
    ("suffix", "content", "problem"),
    [
        (".csv", b"x,y\n1,2\n", ":1: not a table of PairResult"),
        (".csv", b"\xff\xfe\x00\n", ":"),
        (".csv", b"", ": "),
        (".csv", with_cell("n", "many"), ":3: .*'many'"),
        (".csv", with_cell("score", "high"), ":3: .*'high'"),
        (".csv", with_cell("converged", "maybe"), ":3: .*'maybe'"),
        (".parquet", b"", ": "),
        (".parquet", b"no such thing", ": "),
    ],
)
def test_a_file_that_is_no_table_is_refused_with_its_line(tmp_path, suffix, content, problem):
    path = tmp_path / f"rows{suffix}"
    path.write_bytes(content)
    with pytest.raises(SourceError) as caught:
        list(read_rows(path))
    assert re.match(f"{re.escape(str(path))}{problem}", str(caught.value))


@SUFFIX
def test_missing_files_are_named(tmp_path, suffix):
    with pytest.raises(FileNotFoundError, match=f"none{suffix}"):
        list(read_rows(tmp_path / f"none{suffix}"))


@pytest.mark.parametrize(
    "call",
    [
        lambda: list(read_rows("rows.parquet")),
        lambda: write_rows("rows.parquet", ROWS),
        PairResults(iter(()), PairResult).to_pandas,
    ],
)
def test_missing_libraries_are_named(call, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"anmmm\[files\]"):
        call()


# --- writing --------------------------------------------------------------------------------------


def test_the_documentation_names_every_column():
    page = Path(__file__).parents[2] / "docs" / "guide" / "collections.md"
    text = page.read_text(encoding="utf-8")
    names = {*PairResult.columns(), *PairClusters.columns()}
    assert not {name for name in names if f"`{name}`" not in text}


@SUFFIX
def test_equal_results_make_equal_files(tmp_path, suffix):
    slower = [PairResult(**{**row.to_dict(), "seconds": 9.0}) for row in ROWS]
    write_rows(tmp_path / f"slower{suffix}", slower)
    equal = written(tmp_path, suffix).read_bytes()
    assert (tmp_path / f"slower{suffix}").read_bytes() == equal


def test_parquet_has_types(tmp_path):
    schema = parquet.read_schema(written(tmp_path, ".parquet"))
    assert schema.names == list(file_columns(PairResult))
    assert str(schema.field("n").type) == "int64"


@SUFFIX
@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError("connection closed")])
def test_an_interrupted_file_is_not_there(tmp_path, suffix, error):
    def interrupted():
        yield ROWS[0]
        raise error

    with pytest.raises(type(error)):
        write_rows(tmp_path / f"r{suffix}", interrupted())
    assert os.listdir(tmp_path) == []


@SUFFIX
def test_an_existing_file_is_not_replaced(tmp_path, suffix):
    path = tmp_path / f"notes{suffix}"
    path.write_text("mine, and nobody else's")
    with pytest.raises(FileExistsError, match="notes"):
        write_rows(path, ROWS)
    assert path.read_text() == "mine, and nobody else's"


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX limits")
@SUFFIX
def test_a_full_disk_names_the_file_and_leaves_none(tmp_path, suffix):
    path = tmp_path / f"r{suffix}"
    rows = (PairResult(f"{n:050d}", "ok", score=n / 7) for n in range(40_000))
    with largest_file(20_000), pytest.raises(OSError, match=r"File too large") as caught:
        write_rows(path, rows)
    assert caught.value.filename == str(path)
    assert os.listdir(tmp_path) == []


def test_ids_that_are_no_unicode_are_spelled_out(tmp_path):
    write_rows(tmp_path / "r.csv", [PairResult("p\udcff", "ok")])
    with (tmp_path / "r.csv").open(newline="", encoding="utf-8") as file:
        assert next(csv.DictReader(file))["pair_id"] == "p\\udcff"
