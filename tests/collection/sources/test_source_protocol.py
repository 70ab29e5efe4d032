import pickle

import numpy as np
import pytest

from anmmm.collection import PairSource, SourceError, as_pairs
from anmmm.collection.checkpoint import pair_digest
from anmmm.datasets import Pair, load_sample

X, Y = np.arange(12.0), np.arange(12.0) ** 2


def folder(path, text="1,2\n3,4\n"):
    path.mkdir()
    (path / "a.csv").write_text(text)
    (path / "b.csv").write_text("5,6\n7,8\n")
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


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (SourceError("a.csv", "line 7", "odd"), "a.csv:7: odd"),
        (SourceError("a.parquet", "row group 3", "odd"), "a.parquet: row group 3: odd"),
        (SourceError("a.parquet", None, "odd"), "a.parquet: odd"),
    ],
)
def test_errors_name_file_and_place_and_come_out_of_other_processes(error, text):
    assert isinstance(error, (SourceError, ValueError))
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
