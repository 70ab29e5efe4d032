import os

import numpy as np
import pytest

from anmmm.collection import SourceError, as_pairs


@pytest.fixture
def layouts(tmp_path):
    (tmp_path / "pairs").mkdir()
    (tmp_path / "pairs" / "pairmeta.txt").write_text("1 2 2 1 1 0.5\n")
    (tmp_path / "pairs" / "pair1.txt").write_text("1 2\n3 4\n")
    (tmp_path / "loose").mkdir()
    (tmp_path / "loose" / "a.csv").write_text("1,2\n3,4\n")
    return tmp_path


def test_a_folder_has_a_meta_file_or_none(layouts):
    assert [pair.truth for pair in as_pairs(layouts / "pairs")] == [-1]
    assert [pair.pair_id for pair in as_pairs(str(layouts / "loose"))] == ["a"]


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


def test_missing_paths_are_system_errors(layouts):
    with pytest.raises(FileNotFoundError, match=r"none\.csv"):
        as_pairs(layouts / "none.csv")


def test_options_without_an_effect_are_refused(layouts):
    for source in ("sample", layouts / "pairs", {}, iter([]), as_pairs("sample")):
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
