import os
import pickle

import numpy as np
import pytest

from anmmm.collection import PairSource, SourceError, as_pairs
from anmmm.collection.checkpoint import pair_digest
from anmmm.datasets import Pair, load_sample

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


def test_missing_paths_are_system_errors(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"none\.csv"):
        as_pairs(tmp_path / "none.csv")


def test_options_without_an_effect_are_refused(tmp_path):
    for source in ("sample", folder(tmp_path / "f"), {}, iter([]), as_pairs("sample")):
        with pytest.raises(ValueError, match="pairs is for tables"):
            as_pairs(source, pairs="all")
    for source, options, message in (
        (np.zeros((3, 2)), {"pairs": "all", "header": True}, "header is for text files"),
        ({}, {"header": False}, "header is for text files"),
        ("sample", {"categories": ["a"]}, "categories is for tables"),
    ):
        with pytest.raises(ValueError, match=message):
            as_pairs(source, **options)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe_is_refused_before_its_beginning_is_lost(tmp_path):
    os.mkfifo(tmp_path / "p.csv")
    with pytest.raises(SourceError, match=r"p\.csv: a pipe or device can be read only once"):
        as_pairs(tmp_path / "p.csv", pairs="all")
