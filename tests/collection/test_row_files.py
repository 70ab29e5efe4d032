"""Files of rows: what is written is read back, whole or not at all."""

import csv
import json
import os
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anmmm
from anmmm._files import write_csv
from anmmm.collection import SourceError, read_rows
from anmmm.collection.records import PairClusters, PairResult
from anmmm.collection.results import PairResults
from anmmm.collection.schema import CLUSTERS, DIRECTIONS, SCHEMA_VERSION
from anmmm.collection.sinks import write_rows
from subprocess_helpers import largest_file

pandas = pytest.importorskip("pandas")
pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

SUFFIX = pytest.mark.parametrize("suffix", [".csv", ".parquet"])
EVERY_SUFFIX = pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
TESTED = {"relation": "y->x", "independence_pvalue": 5e-324, "check_pvalue": 1.0}
ROWS = [
    PairResult("a, b", "ok", n=30, direction=1, score=0.1 + 0.2, converged=True, seconds=0.5),
    PairResult("ü\nnext", "unusable", 'y is "constant"', truth=-1, weight=0.25, group="air"),
    PairResult("c", "ok", direction=0, score=-1e-300, confidence=0.5, converged=False, seconds=2.0),
    PairResult("", "lost", "a worker died", seconds=0.0, model=None),
    PairResult("d", "ok", direction=-1, score=-0.1, confidence=0.97, seconds=1.0, **TESTED),
]


def written(folder, suffix, rows=ROWS, schema=DIRECTIONS):
    path = folder / f"rows{suffix}"
    path.unlink(missing_ok=True)
    write_rows(path, rows, schema, timings=True)
    return path


def problem_of(path):
    with pytest.raises(SourceError) as caught:
        list(read_rows(path))
    assert str(caught.value).startswith(str(path))
    return str(caught.value).removeprefix(str(path))


def interrupted_by(error):
    yield ROWS[0]
    raise error


# --- reading --------------------------------------------------------------------------------------


@SUFFIX
def test_rows_read_back(tmp_path, suffix):
    path = written(tmp_path, suffix)
    assert list(read_rows(path)) == ROWS
    # One at a time.
    assert next(read_rows(path)) == ROWS[0]
    assert list(read_rows(written(tmp_path, suffix, []))) == []


@SUFFIX
def test_labels_read_back(tmp_path, suffix):
    rows = [
        PairClusters("a", "ok", n=3, cause="x", n_mechanisms=2, labels=[0, 1, 0], refined=True),
        PairClusters("b", "unusable", "constant"),
    ]
    path = written(tmp_path, suffix, rows, CLUSTERS)
    assert list(read_rows(path, CLUSTERS)) == rows
    assert "clusters" in problem_of(path)


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
numbers = st.none() | st.floats(allow_nan=False, allow_infinity=False)
directions = st.sampled_from([1, -1, 0])


@settings(max_examples=60)
@given(
    name=texts,
    reason=texts,
    score=numbers,
    direction=directions,
    truth=st.none() | directions,
    suffix=st.sampled_from([".csv", ".jsonl", ".parquet"]),
)
def test_any_row_reads_back(tmp_path_factory, name, reason, score, direction, truth, suffix):
    row = PairResult(name, "ok", reason, direction=direction, score=score, truth=truth)
    path = written(tmp_path_factory.mktemp("rows"), suffix, [row, row])
    if suffix == ".jsonl":
        lines = path.read_text(encoding="utf-8").split("\n")[:-1]
        assert [json.loads(line) for line in lines] == [row.to_dict()] * 2
    else:
        assert list(read_rows(path)) == [row, row]


def test_files_rewritten_by_other_programs_read_back(tmp_path):
    # Older pandas reads a number only nearly to its last digit; newer ones warn of being told.
    release = tuple(int(part) for part in pandas.__version__.split(".")[:2])
    exactly = {"float_precision": "round_trip"} if release < (3, 1) else {}
    frame = pandas.read_csv(written(tmp_path, ".csv"), **exactly)
    # Whole numbers with gaps become floats, columns another order.
    frame[sorted(frame.columns)].to_csv(tmp_path / "other.csv", index=False)
    assert list(read_rows(tmp_path / "other.csv")) == ROWS
    table = pyarrow.Table.from_pylist([row.to_dict() for row in ROWS])
    parquet.write_table(table.replace_schema_metadata(), tmp_path / "other.parquet")
    assert list(read_rows(tmp_path / "other.parquet")) == ROWS
    # Line ends and encoding of a spreadsheet.
    path = written(tmp_path, ".csv", ROWS[::2])
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert list(read_rows(path)) == ROWS[::2]


def test_unknown_columns_are_passed_over_and_missing_ones_named(tmp_path):
    records = [{**row.to_dict(), "later": 1.5} for row in ROWS]
    columns = PairResult.column_names()
    write_csv(tmp_path / "new.csv", [*columns, "later"], records)
    parquet.write_table(pyarrow.Table.from_pylist(records), tmp_path / "new.parquet")
    for suffix in (".csv", ".parquet"):
        assert list(read_rows(tmp_path / f"new{suffix}")) == ROWS
    write_csv(tmp_path / "old.csv", columns[:-1], records)
    assert f"{columns[-1]} are missing" in problem_of(tmp_path / "old.csv")


@pytest.mark.parametrize(
    ("suffix", "content", "problem"),
    [
        (".csv", b"x,y\n1,2\n", ":1: not a table"),
        (".csv", b"pair_id,pair_id\n", ":1: two columns"),
        (".csv", b"\xff\xfe\x00\n", ":1: .*not UTF-8"),
        (".csv", b'pair_id,"\n', ":1: .*not CSV"),
        (".csv", b"", ": .*empty"),
        (".parquet", b"", ": .*empty"),
        (".parquet", b"no such thing", ": .*not a Parquet file"),
    ],
)
def test_a_file_that_is_no_table_is_refused_with_its_line(tmp_path, suffix, content, problem):
    path = tmp_path / f"rows{suffix}"
    path.write_bytes(content)
    assert re.match(problem, problem_of(path))


@SUFFIX
def test_a_file_cut_anywhere_is_never_read_as_whole(tmp_path, suffix):
    path = written(tmp_path, suffix)
    whole = path.read_bytes()
    line_ends = {index + 1 for index, byte in enumerate(whole) if byte == 10}
    for cut in range(1, len(whole), 31):
        # Rows that end where a line ends are a shorter table.
        if cut not in line_ends or suffix == ".parquet":
            path.write_bytes(whole[:cut])
            assert problem_of(path)


@pytest.mark.parametrize(
    ("column", "cell", "problem"),
    [
        ("n", "many", "n must be a whole number"),
        ("score", "high", "score must be a number"),
        ("converged", "maybe", "converged must be true or false"),
        ("direction", 2, "direction must be 1, -1 or 0"),
        ("direction", None, ".*direction is missing"),
        ("weight", -1.0, "weight must be finite"),
        ("status", "fine", "status must be one of"),
        ("independence_pvalue", 1.5, "independence_pvalue must lie between 0 and 1"),
    ],
)
def test_an_impossible_cell_is_refused_with_its_line(tmp_path, column, cell, problem):
    good = ROWS[0].to_dict()
    write_csv(tmp_path / "rows.csv", list(good), [good, {**good, column: cell}])
    assert re.match(f":3: {problem}", problem_of(tmp_path / "rows.csv"))
    records = [good, {**good, "status": "fine"}]
    parquet.write_table(pyarrow.Table.from_pylist(records), tmp_path / "rows.parquet")
    assert problem_of(tmp_path / "rows.parquet").startswith(": row 2: status must be one of")


def test_json_lines_missing_files_and_missing_libraries_are_named(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match=r"JSON lines cannot be read"):
        read_rows(tmp_path / "rows.jsonl")
    with pytest.raises(FileNotFoundError, match=r"none\.csv"):
        list(read_rows(tmp_path / "none.csv"))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pandas", None)
    for call in (
        lambda: read_rows(tmp_path / "rows.parquet"),
        lambda: write_rows(tmp_path / "r.parquet", ROWS, DIRECTIONS),
    ):
        with pytest.raises(ImportError, match=r"anmmm\[parquet\]"):
            call()
    with pytest.raises(ImportError, match="needs pandas"):
        PairResults(iter(()), DIRECTIONS, 0).to_pandas()


# --- writing --------------------------------------------------------------------------------------


def test_the_documentation_names_every_column_and_the_version():
    page = Path(__file__).parents[2] / "docs" / "guide" / "collections.md"
    text = page.read_text(encoding="utf-8")
    names = {*DIRECTIONS.columns, *CLUSTERS.columns}
    assert not {name for name in names if f"`{name}`" not in text}
    assert f"Version {SCHEMA_VERSION} of the schema" in text


@EVERY_SUFFIX
def test_equal_results_make_equal_files(tmp_path, suffix):
    slower = [PairResult(**{**row.to_dict(), "seconds": 9.0}) for row in ROWS]
    write_rows(tmp_path / f"a{suffix}", ROWS, DIRECTIONS)
    write_rows(tmp_path / f"b{suffix}", slower, DIRECTIONS)
    assert (tmp_path / f"a{suffix}").read_bytes() == (tmp_path / f"b{suffix}").read_bytes()
    if suffix != ".jsonl":
        assert {row.seconds for row in read_rows(tmp_path / f"a{suffix}")} == {None}


def test_parquet_has_kind_and_version_and_types(tmp_path):
    schema = parquet.read_schema(written(tmp_path, ".parquet"))
    assert schema.metadata[b"anmmm.kind"] == b"directions"
    assert schema.metadata[b"anmmm.schema_version"] == str(SCHEMA_VERSION).encode()
    assert schema.metadata[b"anmmm.version"] == anmmm.__version__.encode()
    assert str(schema.field("n").type) == "int64"


@EVERY_SUFFIX
def test_an_interrupted_file_is_not_there(tmp_path, suffix):
    for error in (KeyboardInterrupt(), OSError("connection closed")):
        with pytest.raises(type(error)):
            write_rows(tmp_path / f"r{suffix}", interrupted_by(error), DIRECTIONS)
        assert os.listdir(tmp_path) == []


@EVERY_SUFFIX
def test_an_existing_file_is_not_replaced(tmp_path, suffix):
    path = tmp_path / f"notes{suffix}"
    path.write_text("mine, and nobody else's")
    with pytest.raises(FileExistsError, match="notes"):
        write_rows(path, ROWS, DIRECTIONS)
    assert path.read_text() == "mine, and nobody else's"


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX limits")
@EVERY_SUFFIX
def test_a_full_disk_names_the_file_and_leaves_none(tmp_path, suffix):
    path = tmp_path / f"r{suffix}"
    rows = (PairResult(f"{n:050d}", "ok", score=n / 7) for n in range(40_000))
    with largest_file(20_000), pytest.raises(OSError, match=r"File too large") as caught:
        write_rows(path, rows, DIRECTIONS)
    assert caught.value.filename == str(path)
    assert os.listdir(tmp_path) == []


def test_ids_that_are_no_unicode_are_spelled_out(tmp_path):
    write_rows(tmp_path / "r.csv", [PairResult("p\udcff", "ok")], DIRECTIONS)
    with (tmp_path / "r.csv").open(newline="", encoding="utf-8") as file:
        assert next(csv.DictReader(file))["pair_id"] == "p\\udcff"
