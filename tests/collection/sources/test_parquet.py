import decimal
import operator

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anmmm.collection import SourceError, as_pairs
from anmmm.collection.sources import parquet

X, Y = [1.0, 2.0, 3.0], [4.0, 5.0, 6.0]
ONE = {"pair_id": ["a"], "x": [X], "y": [Y]}


def write(folder, columns, name="pairs.parquet", **options):
    path = folder / name
    pq.write_table(columns if isinstance(columns, pa.Table) else pa.table(columns), path, **options)
    return path


def nested(folder, **other):
    return write(folder, {"pair_id": ["b", "a"], "x": [X, Y], "y": [Y, X]} | other)


def long(folder, **other):
    columns = {"pair_id": ["b", "b", "b", "a", "a", "a"], "x": X + Y, "y": Y + X}
    return write(folder, columns | other)


def assert_same(pair, x, y):
    assert pair.problem == ""
    np.testing.assert_array_equal(pair.x, x)
    np.testing.assert_array_equal(pair.y, y)
    assert pair.x.dtype == pair.y.dtype == np.float64


@pytest.mark.parametrize("form", [nested, long])
def test_both_forms_keep_ids_columns_and_order(tmp_path, form):
    source = as_pairs(form(tmp_path, notes=["ignored"] * (2 if form is nested else 6)))
    assert operator.length_hint(source, -1) == (2 if form is nested else -1)
    first, second = source
    assert (first.pair_id, second.pair_id) == ("b", "a")
    assert_same(first, X, Y)
    assert_same(second, Y, X)
    assert (first.truth, first.weight, first.group, first.n_dropped) == (None, 1.0, None, 0)


@pytest.mark.parametrize(("form", "repeat"), [(nested, 1), (long, 3)])
@pytest.mark.parametrize("name", ["truth", "target"])
def test_truth_weight_and_group_are_kept(tmp_path, form, repeat, name):
    number = decimal.Decimal if name == "target" else float

    def column(*values):
        return [value for value in values for _ in range(repeat)]

    known = {name: column(number(-1), None), "weight": column(number(0.25), None)}
    group = pa.array(column("wind", None)).dictionary_encode()
    first, second = as_pairs(form(tmp_path, group=group, **known))
    assert (first.truth, first.weight, first.group) == (-1, 0.25, "wind")
    assert (second.truth, second.weight, second.group) == (None, 1.0, None)


@pytest.mark.parametrize(
    "kind",
    [
        pa.list_(pa.float16()),
        pa.list_(pa.uint64()),
        pa.list_(pa.decimal128(10, 2)),
        pa.large_list(pa.int32()),
        pa.list_(pa.int16(), 3),
    ],
    ids=str,
)
def test_lists_of_every_numeric_type(tmp_path, kind):
    if pa.types.is_decimal(kind.value_type):
        values = [[decimal.Decimal(value) for value in each] for each in (X, Y)]
    else:
        values = np.array([X, Y]).astype(kind.value_type.to_pandas_dtype()).tolist()
        values = [list(map(kind.value_type.to_pandas_dtype(), each)) for each in values]
    path = nested(tmp_path, x=pa.array(values, kind))
    first, second = as_pairs(path)
    assert_same(first, X, Y)
    assert_same(second, Y, X)


@pytest.mark.parametrize("kind", [pa.float32(), pa.int64(), pa.uint8(), pa.bool_()], ids=str)
def test_long_numbers_of_every_type(tmp_path, kind):
    values = [True, False, True, True, True, False]
    first, second = as_pairs(long(tmp_path, x=pa.array(values).cast(kind)))
    assert_same(first, values[:3], Y)
    assert_same(second, values[3:], X)


@pytest.mark.parametrize(
    "ids",
    [
        pa.array([7, 3], pa.uint8()),
        pa.array(["7", "3"], pa.large_string()),
        pa.array(["7", "3"], pa.string_view()),
        pa.array([7, 3]).dictionary_encode(),
    ],
    ids=lambda ids: str(ids.type),
)
def test_ids_of_every_type_become_text(tmp_path, ids):
    if pa.types.is_string_view(ids.type) and int(pa.__version__.partition(".")[0]) < 21:
        pytest.skip("PyArrow writes views of text to Parquet from 21 on")
    assert [pair.pair_id for pair in as_pairs(nested(tmp_path, pair_id=ids))] == ["7", "3"]
    if pa.types.is_string_view(ids.type):
        repeated = pa.array(["7"] * 3 + ["3"] * 3, ids.type)
    else:
        repeated = ids.take(pa.array([0, 0, 0, 1, 1, 1]))
    assert [pair.pair_id for pair in as_pairs(long(tmp_path, pair_id=repeated))] == ["7", "3"]


def test_nulls_and_nan_drop_their_rows(tmp_path):
    first, second = as_pairs(long(tmp_path, x=[1, None, 3, 4, 5, 6]))
    assert_same(first, [1, 3], [4, 6])
    assert (first.n_dropped, second.n_dropped) == (1, 0)
    path = nested(tmp_path, x=[[1.0, None, 3.0], [4, 5, 6]], y=[[4.0, 5.0, np.nan], [1, 2, 3]])
    first, second = as_pairs(path)
    assert_same(first, [1], [4])
    assert first.n_dropped == 2
    assert_same(second, Y, X)


@pytest.mark.parametrize(
    ("form", "other", "problem"),
    [
        (nested, {"x": [None, X], "y": [None, Y]}, "x and y is null"),
        (nested, {"x": [[1.0], X]}, "x has 1 values and y has 3; they must come"),
        (nested, {"truth": [2, 1]}, "the truth must be 1 (x causes y), -1"),
        (nested, {"weight": [-1.0, 1.0]}, "weight must be finite and not negative"),
        (nested, {"pair_id": [None, "a"]}, "pair_id is null"),
        (long, {"truth": [1, None, 1, 1, 1, 1]}, "truth must be the same in all rows of a pair"),
        (long, {"weight": [1, 1, 2, 2, 2, 2]}, "weight must be the same in all rows of a pair"),
        (long, {"group": list("ppqrrr"), "truth": [0, 0, 1, 1, 1, 1]}, "group and truth must be"),
        (long, {"pair_id": [None, None, None, "a", "a", "a"]}, "pair_id is null"),
    ],
)
def test_a_broken_pair_is_a_problem_and_the_next_one_is_read(tmp_path, form, other, problem):
    broken, whole = as_pairs(form(tmp_path, **other))
    assert broken.problem.startswith(f"row 1 (row group 0): {problem}")
    assert len(broken.x) == len(broken.y) == 0
    assert (whole.pair_id, whole.problem, len(whole.x)) == ("a", "", 3)


def test_what_is_said_of_a_long_pair_may_not_change_across_row_groups(tmp_path):
    table = pa.table({"pair_id": ["a"] * 4, "x": [*X, 1], "y": [*Y, 1], "weight": [1, 1, 2, 2]})
    (pair,) = as_pairs(write(tmp_path, table, row_group_size=2))
    assert pair.problem.endswith("weight must be the same in all rows of a pair")
    same = table.set_column(3, "weight", [[np.nan] * 4])
    (pair,) = as_pairs(write(tmp_path, same, row_group_size=2))
    assert (pair.problem, pair.weight) == ("", 1.0)


@pytest.mark.parametrize("form", ["nested", "long"])
@given(
    lengths=st.lists(st.integers(0, 7), min_size=1, max_size=8),
    row_group_size=st.integers(1, 9),
    batch_rows=st.integers(1, 9),
    encode=st.booleans(),
)
def test_pairs_do_not_depend_on_where_row_groups_and_batches_end(
    tmp_path_factory, form, lengths, row_group_size, batch_rows, encode
):
    if form == "long":
        lengths = [length or 1 for length in lengths]
    values = [np.arange(float(length)) + 10 * i for i, length in enumerate(lengths)]
    repeats = lengths if form == "long" else np.ones(len(lengths), dtype=int)
    ids = pa.array(np.repeat([f"p{i}" for i in range(len(lengths))], repeats))
    x = np.concatenate(values) if form == "long" else pa.array(values)
    y = -x if form == "long" else pa.array([-v for v in values])
    truth = np.repeat([i % 3 - 1 for i in range(len(lengths))], repeats)
    columns = {"pair_id": ids.dictionary_encode() if encode else ids, "x": x, "y": y}
    folder = tmp_path_factory.mktemp(form)
    path = write(folder, columns | {"truth": truth}, row_group_size=row_group_size)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parquet, "_ROWS", batch_rows)
        pairs = list(as_pairs(path))
    assert [pair.pair_id for pair in pairs] == [f"p{i}" for i in range(len(lengths))]
    for index, (pair, expected) in enumerate(zip(pairs, values, strict=True)):
        assert_same(pair, expected, -expected)
        assert pair.truth == index % 3 - 1


def test_an_id_that_reappears_in_long_form_is_refused_with_both_places(tmp_path):
    ids = ["a", "a", "b", "b", "a", "a"]
    path = write(tmp_path, {"pair_id": ids, "x": X + Y, "y": Y + X}, row_group_size=2)
    walk = iter(as_pairs(path))
    assert next(walk).pair_id == "a"
    with pytest.raises(SourceError) as caught:
        list(walk)
    assert str(caught.value) == (
        f"{path}: row 5 (row group 2): the pair id 'a' was used in row 1 (row group 0) already; "
        f"all rows of a pair must be adjacent: sort the file by pair_id"
    )
    assert caught.value.place == "row 5 (row group 2)"


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"pair_id": ["a"], "x": [1.0]}, "there is no column y, only pair_id, x; pairs need"),
        ({"a": [1.0], "b": [1.0]}, "choose pairs with columns=[('a', 'b'), ...] or columns='all'"),
        ({"pair_id": ["a"], "x": ["p"], "y": [1.0]}, "x must hold numbers or lists of numbers"),
        ({"pair_id": ["a"], "x": [[X]], "y": [X]}, "x must hold numbers or lists of numbers"),
        ({"pair_id": ["a"], "x": [X], "y": [1.0]}, "x and y must both be lists (a row for each"),
        ({"pair_id": [1.5], "x": [X], "y": [Y]}, "pair_id must hold text or whole numbers"),
        (ONE | {"truth": ["1"]}, "truth must hold numbers, found"),
        (ONE | {"group": [1.5]}, "group must hold text or whole"),
        (ONE | {"truth": [1], "target": [1]}, "there are columns truth and target; keep one"),
        (pa.table(ONE).slice(1), "the file has columns, but no rows"),
        (pa.table(ONE).append_column("x", [[X]]), "several columns of the name x"),
    ],
)
def test_files_of_another_schema_are_refused_at_once(tmp_path, columns, message):
    path = write(tmp_path, columns)
    with pytest.raises(SourceError) as caught:
        as_pairs(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (lambda whole: b"PAR1", "the Parquet file is truncated"),
        (lambda whole: whole[:-1], "the Parquet file is truncated"),
        (lambda whole: b"a,b\n1,2\n", "this is not a Parquet file"),
        (lambda whole: whole[:-8] + b"\xff\xff\xff\x7fPAR1", "the content is broken ("),
        (lambda whole: b"PAR1" + bytes(40) + b"PAR1", "the content is broken ("),
    ],
)
def test_broken_files_are_refused_at_once_in_one_sentence(tmp_path, content, message):
    path = nested(tmp_path)
    path.write_bytes(content(path.read_bytes()))
    with pytest.raises(SourceError) as caught:
        as_pairs(path)
    assert str(caught.value).startswith(f"{path}: {message}")
    assert "\n" not in str(caught.value)


def test_a_broken_row_group_ends_the_walk_and_is_named(tmp_path):
    columns = {"pair_id": ["a", "b"], "x": [X, Y], "y": [Y, X]}
    path = write(tmp_path, columns, row_group_size=1, use_dictionary=False)
    where = pq.read_metadata(path).row_group(1).column(1).data_page_offset
    data = bytearray(path.read_bytes())
    data[where : where + 30] = b"\xff" * 30
    path.write_bytes(data)
    walk = iter(as_pairs(path))
    assert_same(next(walk), X, Y)
    with pytest.raises(SourceError, match=r"pairs.parquet: row group 1: the content is broken \("):
        next(walk)


def test_memory_does_not_grow_with_the_row_group(tmp_path):
    n, length = 4_000, 1_000
    values = pa.array(np.random.default_rng(0).normal(size=n * length))
    lists = pa.ListArray.from_arrays(
        pa.array(np.arange(0, n * length + 1, length), pa.int32()), values
    )
    path = write(tmp_path, {"pair_id": pa.array(range(n)), "x": lists, "y": lists})
    del values, lists
    before = pa.total_allocated_bytes()
    peak = 0
    for pair in as_pairs(path):
        assert len(pair.x) == length
        peak = max(peak, pa.total_allocated_bytes() - before)
    assert pq.read_metadata(path).num_row_groups == 1
    # The row group holds 64 MB.
    assert peak < 40e6


@pytest.mark.parametrize("form", [nested, long])
def test_a_row_group_is_not_read_before_its_pairs_are_wanted(tmp_path, spied, form):
    path = form(tmp_path)
    table = pq.read_table(path)
    later = table.set_column(
        0, "pair_id", [[f"later {name}" for name in table["pair_id"].to_pylist()]]
    )
    write(tmp_path, pa.concat_tables([table, later]), row_group_size=len(table))
    begun = spied(pq.ParquetFile, "iter_batches")
    source = as_pairs(path)
    assert begun == []
    walk = iter(source)
    assert next(walk).pair_id == "b"
    assert [options["row_groups"] for _, options, _ in begun] == [[0]]
    assert [pair.pair_id for pair in walk] == ["a", "later b", "later a"]
    assert [options["row_groups"] for _, options, _ in begun] == [[0], [1]]
