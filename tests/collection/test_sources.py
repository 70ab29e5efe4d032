"""What a collection may be: pairs in memory, folders and files, and what is refused."""

import os
import pickle

import numpy as np
import pandas as pd
import pytest

from anmmm.collection import PairSource, SourceError, as_pairs, infer_directions
from anmmm.collection.checkpoint import pair_digest
from anmmm.datasets import Pair, load_sample, make_anm_mixture

X, Y = np.arange(12.0), np.arange(12.0) ** 2


def folder(path):
    path.mkdir()
    (path / "a.csv").write_text("1,2\n3,4\n")
    return path


def test_every_source_follows_the_protocol_and_opens_as_itself(tmp_path):
    for given, name in (
        ("sample", load_sample().name),
        (folder(tmp_path / "f"), str(tmp_path / "f")),
        ({"a": (X, Y)}, "dict"),
        ([(X, Y)], "list"),
        (((X, Y) for _ in range(2)), "generator"),
    ):
        source = as_pairs(given)
        assert isinstance(source, PairSource)
        assert as_pairs(source) is source
        assert source.name == name
        found = list(source)
        assert found
        assert all(isinstance(pair, Pair) for pair in found)


def test_mapping_list_and_pair_keep_ids_and_order():
    named = list(as_pairs({"b": (X, Y), "a": (Y, X), 3: [X, X]}))
    assert [pair.pair_id for pair in named] == ["b", "a", "3"]
    np.testing.assert_array_equal(named[1].x, Y)
    mixed = list(as_pairs([(X, Y), ("own", X, Y), (np.int64(7), X, Y), Pair("p", X, Y, -1, 0.5)]))
    assert [pair.pair_id for pair in mixed] == ["0", "own", "7", "p"]
    assert (mixed[3].truth, mixed[3].weight) == (-1, 0.5)


@pytest.mark.parametrize(
    ("item", "problem"),
    [
        ("text", "found str"),
        ((2.5, X, Y), "found tuple of length 3"),
        (None, "found NoneType"),
        (([[1], [1, 2]], Y), "x is not a rectangular array"),
        ((X, [print] * 12), "y must be numeric"),
        (Pair("p", X, np.array(iter(Y))), "y must be numeric"),
    ],
)
def test_an_item_of_another_form_is_a_problem_not_an_exception(item, problem):
    first, second = as_pairs([item, (X, Y)])
    assert problem in first.problem
    assert second.problem == ""


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_items_that_cannot_be_pickled_are_unusable_rows(n_jobs):
    x, y, _ = make_anm_mixture("f3", 20, random_state=0)
    source = [((value for value in x), y), (x, y), Pair("own", x, np.array(iter(y)), 1)]
    rows = list(infer_directions(source, n_jobs=n_jobs, random_state=0))
    assert [row.pair_id for row in rows] == ["0", "1", "own"]
    assert [row.status for row in rows] == ["unusable", "ok", "unusable"]
    assert rows[2].truth == 1


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        (np.zeros((10, 2)), {}, "pairs="),
        (pd.DataFrame({"a": X}), {}, "pairs="),
        (None, {}, "found NoneType"),
        ((X, Y), {}, r"one pair: use infer_direction\(x, y\)"),
        ("none.csv", {}, r"none\.csv"),
        *((source, {"pairs": "all"}, "pairs is for tables") for source in ("sample", ".", {})),
        (load_sample(), {"pairs": "all"}, "pairs is for tables"),
        (np.zeros((3, 2)), {"pairs": "all", "header": True}, "header is for text files"),
        ({}, {"header": False}, "header is for text files"),
        ("sample", {"categories": ["a"]}, "categories is for tables"),
    ],
)
def test_other_sources_and_options_without_an_effect_are_refused(source, options, message):
    with pytest.raises((TypeError, ValueError, FileNotFoundError), match=message):
        as_pairs(source, **options)


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (SourceError("a.csv", "line 7", "odd"), "a.csv:7: odd"),
        (SourceError("a.parquet", "row group 3", "odd"), "a.parquet: row group 3: odd"),
        (SourceError("a.parquet", None, "odd"), "a.parquet: odd"),
    ],
)
def test_errors_name_file_and_place_and_come_out_of_other_processes(error, text):
    assert isinstance(error, ValueError)
    assert str(error) == text
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert (str(again), again.path, again.place) == (text, error.path, error.place)


@pytest.mark.parametrize(
    "other",
    [
        {"b": (Y, X), "a": (X, Y)},
        {"a": (X, Y), "b": (Y, X + 1e-9)},
        {"a": (X, Y), "b": "text"},
        {"a": (X, Y), "b": Pair("b", Y, X, truth=1)},
    ],
)
def test_digests_differ_if_pairs_do(other):
    def digests(source):
        return [pair_digest(0, pair) for pair in as_pairs(source)]

    assert digests(other) != digests({"a": (X, Y), "b": (Y, X)})
    assert digests(other) == digests(other)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("p.tsv", b"", "the file is empty$"),
        ("p.parquet", b"", "the file is empty$"),
        ("p.zip", b"\x1f\x8b\x08\0\0", "compressed"),
        ("p.csv", b"SampleID,A,B\na,1 2,3 4\n", "pairs="),
    ],
)
def test_a_file_of_no_format_is_one_sentence(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SourceError, match=message) as caught:
        as_pairs(tmp_path / name)
    assert str(caught.value).startswith(f"{tmp_path / name}: ")


@pytest.mark.skipif(not os.path.isdir("/dev/fd"), reason="the system has no names of pipes")
def test_a_table_may_come_from_a_pipe():
    reading, writing = os.pipe()
    os.write(writing, b"a,b\n1,2\n3,4\n")
    os.close(writing)
    (pair,) = as_pairs(f"/dev/fd/{reading}", pairs="all")
    os.close(reading)
    assert (pair.pair_id, pair.x.tolist()) == ("a,b", [1, 3])
