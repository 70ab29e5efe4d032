import math
import re
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anmmm._files import write_csv
from anmmm.collection import SourceError, read_rows
from anmmm.collection import reading as reading_module
from anmmm.collection.records import PairClusters, PairResult
from anmmm.collection.schema import CLUSTERS, DIRECTIONS
from anmmm.collection.sinks import write_rows

PAIR_COLUMNS = PairResult.column_names()

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

SUFFIXES = [".csv", ".parquet"]
SUFFIX = pytest.mark.parametrize("suffix", SUFFIXES)
TESTED = {"relation": "y→x", "independence_pvalue": 5e-324, "check_pvalue": 1.0}
TESTED["dependence"] = 0.1 + 0.2
ROWS = [
    PairResult("a, b", "ok", n=30, direction=1, score=0.1 + 0.2, converged=True, seconds=0.5),
    PairResult("ü\nnext", "unusable", 'y is "constant"', truth=-1, weight=0.25, group="air"),
    PairResult("c", "ok", direction=0, score=-1e-300, confidence=0.5, converged=False, seconds=2.0),
    PairResult("", "lost", "a worker died", seconds=0.0, model=None),
    PairResult("d", "ok", direction=-1, score=-0.1, confidence=0.97, seconds=1.0, **TESTED),
    PairResult("e", "ok", direction=0, score=0.0, seconds=1.0, relation="independent"),
]


def written(tmp_path, suffix, rows=ROWS, schema=DIRECTIONS):
    path = tmp_path / f"rows{suffix}"
    write_rows(path, rows, schema, timings=True, force=True)
    return path


def problem_of(path, schema=DIRECTIONS):
    with pytest.raises(SourceError) as caught:
        list(read_rows(path, schema))
    return str(caught.value)


@SUFFIX
def test_rows_read_back(tmp_path, suffix):
    assert list(read_rows(written(tmp_path, suffix))) == ROWS


@SUFFIX
def test_labels_and_no_rows_at_all_read_back(tmp_path, suffix):
    rows = [
        PairClusters("a", "ok", n=3, cause="x", n_mechanisms=2, labels=[0, 1, 0], refined=True),
        PairClusters("b", "unusable", "constant"),
    ]
    path = written(tmp_path, suffix, rows, CLUSTERS)
    assert list(read_rows(path, CLUSTERS)) == rows
    assert re.search("expected a file of directions, .*found .*clusters", problem_of(path))
    assert list(read_rows(written(tmp_path, suffix, []))) == []


@SUFFIX
def test_what_is_no_number_and_times_that_were_not_written_are_missing(tmp_path, suffix):
    rows = [PairResult("a", "ok", direction=1, score=math.inf, confidence=math.nan, seconds=1.0)]
    path = tmp_path / f"rows{suffix}"
    write_rows(path, rows, DIRECTIONS)
    (row,) = read_rows(path)
    assert (row.score, row.confidence, row.seconds) == (None, None, None)
    # As in a checkpoint.
    assert DIRECTIONS.row(DIRECTIONS.reader(timings=False)(rows[0])) == row


@SUFFIX
def test_rows_are_read_while_they_are_asked_for(tmp_path, suffix, monkeypatch):
    monkeypatch.setattr(reading_module, "BATCH", 2)
    rows = read_rows(written(tmp_path, suffix, ROWS * 5_000))
    assert next(rows) == ROWS[0]
    rows.close()


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
numbers = st.none() | st.floats(allow_nan=False, allow_infinity=False)


@given(
    texts,
    texts,
    numbers,
    st.sampled_from([1, -1, 0]),
    st.sampled_from([1, -1, 0, None]),
    st.sampled_from([*SUFFIXES]),
)
@settings(max_examples=60)
def test_any_row_reads_back(tmp_path_factory, name, reason, score, direction, truth, suffix):
    row = PairResult(name, "ok", reason, direction=direction, score=score, truth=truth)
    path = written(tmp_path_factory.mktemp("rows"), suffix, [row, row])
    assert list(read_rows(path)) == [row, row]


def test_line_ends_of_spreadsheets_and_their_mark_of_the_encoding_do_no_harm(tmp_path):
    path = written(tmp_path, ".csv", ROWS[::2])
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert list(read_rows(path)) == ROWS[::2]


def test_what_other_programs_make_of_the_file_reads_back(tmp_path):
    pandas = pytest.importorskip("pandas")
    # Older ones read a number only nearly to its last digit; newer ones warn of being told.
    release = tuple(int(part) for part in pandas.__version__.split(".")[:2])
    exactly = {"float_precision": "round_trip"} if release < (3, 1) else {}
    frame = pandas.read_csv(written(tmp_path, ".csv"), **exactly)
    # Whole numbers with gaps become floats, columns another order.
    frame[sorted(frame.columns)].to_csv(tmp_path / "other.csv", index=False)
    assert list(read_rows(tmp_path / "other.csv")) == ROWS
    # Its metadata is gone, too.
    table = pyarrow.Table.from_pylist([row.to_dict() for row in ROWS])
    parquet.write_table(table.replace_schema_metadata(), tmp_path / "other.parquet")
    assert list(read_rows(tmp_path / "other.parquet")) == ROWS


def test_unknown_columns_are_passed_over_and_missing_ones_named(tmp_path):
    records = [{**row.to_dict(), "later": 1.5} for row in ROWS]
    write_csv(tmp_path / "new.csv", [*PAIR_COLUMNS, "later"], records)
    parquet.write_table(pyarrow.Table.from_pylist(records), tmp_path / "new.parquet")
    write_csv(tmp_path / "old.csv", PAIR_COLUMNS[:-1], records)
    for suffix in SUFFIXES:
        assert list(read_rows(tmp_path / f"new{suffix}")) == ROWS
    assert problem_of(tmp_path / "old.csv").endswith("the columns certainty are missing")


def test_what_cannot_be_read_is_refused_at_once(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match=r"rows\.json: the name must end in .csv, .jsonl or"):
        read_rows(tmp_path / "rows.json")
    with pytest.raises(ValueError, match=r"rows\.jsonl: JSON lines cannot be read back"):
        read_rows(tmp_path / "rows.jsonl")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r'pip install "anmmm\[parquet\]"'):
        read_rows(tmp_path / "rows.parquet")


@SUFFIX
def test_a_file_that_is_not_there_is_named(tmp_path, suffix):
    with pytest.raises(FileNotFoundError) as caught:
        list(read_rows(tmp_path / f"none{suffix}"))
    assert str(caught.value.filename).endswith(f"none{suffix}")


@SUFFIX
def test_a_file_cut_anywhere_is_told_and_never_read_as_whole(tmp_path, suffix):
    path = written(tmp_path, suffix)
    whole = path.read_bytes()
    line_ends = {at + 1 for at, byte in enumerate(whole) if byte == 10}
    for cut in range(1, len(whole), 7):
        # Rows that end where a line ends are a shorter table.
        if cut not in line_ends or suffix == ".parquet":
            path.write_bytes(whole[:cut])
            assert problem_of(path).startswith(f"{path}: ")
    assert ("truncated" if suffix == ".parquet" else "in the middle") in problem_of(path)


@pytest.mark.parametrize(
    ("suffix", "content", "wanted"),
    [
        (".csv", "x,y\n1,2\n", ":1: not a table of directions as anmmm writes it (schema 1): t"),
        (".csv", "pair_id,pair_id\n", ":1: two columns of the same name: pair_id"),
        (".csv", b"\xff\xfe\x00\n", ":1: this is not UTF-8 text"),
        (".csv", 'pair_id,"\n', ":1: the row that begins here is not CSV"),
        (".csv", b"", ": the file is empty"),
        (".parquet", b"", ": the file is empty"),
        (".parquet", b"no such thing", ": this is not a Parquet file"),
    ],
)
def test_what_is_no_table_is_told_with_its_line(tmp_path, suffix, content, wanted):
    path = tmp_path / f"rows{suffix}"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert problem_of(path).startswith(f"{path}{wanted}")


@pytest.mark.parametrize(
    ("column", "cell", "wanted"),
    [
        ("n", "many", "n must be a whole number, found 'many'"),
        ("score", "high", "score must be a number, found 'high'"),
        ("converged", "maybe", "converged must be true or false, found 'maybe'"),
        ("direction", 2, "direction must be 1, -1 or 0, found 2"),
        ("direction", None, "the pair was analyzed (status ok), but its direction is missing"),
        ("truth", 5, "the truth must be 1 (x causes y)"),
        ("weight", -1.0, "weight must be finite and not negative"),
        ("status", "fine", "status must be one of 'ok', "),
        ("relation", "x to y", "relation must be one of 'x→y', 'y→x', 'undecided', 'common cause'"),
        ("independence_pvalue", 1.5, "independence_pvalue must lie between 0 and 1"),
    ],
)
def test_a_cell_that_cannot_be_is_told_with_its_line(tmp_path, column, cell, wanted):
    good = ROWS[0].to_dict()
    path = tmp_path / "rows.csv"
    write_csv(path, list(PAIR_COLUMNS), [good, {**good, column: cell}])
    assert problem_of(path).startswith(f"{path}:3: {wanted}")


@pytest.mark.parametrize(
    "change",
    [
        {"labels": [0, 2, 0]},
        {"labels": [0, -1, 0]},
        {"labels": [2**40] * 3, "sizes": None},
        {"labels": [0], "sizes": [1, 0]},
        {"labels": None},
        {"sizes": [-4, 7]},
        {"sizes": [2**40, 1]},
        {"n_mechanisms": 2**62},
        {"n": None},
    ],
)
def test_labels_that_contradict_their_row_are_refused(change):
    cells = {"n": 3, "n_mechanisms": 2, "labels": [0, 1, 0], "sizes": [2, 1], "cause": "x"}
    row = PairClusters("a", "ok", **cells)
    assert CLUSTERS.record_of(row.to_dict()) == row
    with pytest.raises(ValueError, match="labels, sizes, n and n_mechanisms contradict each other"):
        CLUSTERS.record_of(row.to_dict() | change)
    with pytest.raises(ValueError, match="cause_source must be one of 'truth', 'inferred', "):
        CLUSTERS.record_of(row.to_dict() | {"cause_source": "nobody"})


def test_a_row_of_another_length_is_told(tmp_path):
    path = written(tmp_path, ".csv")
    with path.open("a") as file:
        file.write("a,b\n")
    # The second row takes two lines, and the places are those of an editor.
    assert problem_of(path) == f"{path}:9: expected a row of 33 cells"


def test_rows_of_a_broken_parquet_file_are_told(tmp_path):
    records = [ROWS[0].to_dict(), {**ROWS[0].to_dict(), "status": "fine"}]
    path = tmp_path / "rows.parquet"
    parquet.write_table(pyarrow.Table.from_pylist(records), path)
    assert problem_of(path).startswith(f"{path}: row 2: status must be one of")
    table = pyarrow.Table.from_pylist(records).replace_schema_metadata({"anmmm.kind": "clusters"})
    parquet.write_table(table, path)
    assert "expected a file of directions, version 1, found clusters" in problem_of(path)
    parquet.write_table(table.replace_schema_metadata({"anmmm.schema_version": "2"}), path)
    assert "found directions, version 2" in problem_of(path)
