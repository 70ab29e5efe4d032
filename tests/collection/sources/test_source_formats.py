import os

import numpy as np
import pytest

from anmmm.collection import SourceError, as_pairs

CDT = "SampleID,A,B\na,1 2,3 4\n"


@pytest.fixture
def layouts(tmp_path):
    (tmp_path / "pairs").mkdir()
    (tmp_path / "pairs" / "pairmeta.txt").write_text("1 2 2 1 1 0.5\n")
    (tmp_path / "pairs" / "pair1.txt").write_text("1 2\n3 4\n")
    (tmp_path / "loose").mkdir()
    (tmp_path / "loose" / "a.csv").write_text("1,2\n3,4\n")
    (tmp_path / "cdt.csv").write_text(CDT)
    return tmp_path


def test_the_format_is_recognized_or_named(layouts):
    assert [pair.truth for pair in as_pairs(layouts / "pairs")] == [-1]
    assert [pair.pair_id for pair in as_pairs(str(layouts / "loose"))] == ["a"]
    assert [pair.pair_id for pair in as_pairs(layouts / "cdt.csv")] == ["a"]
    # Or it is named.
    (pair,) = as_pairs(layouts / "pairs", format="folder")
    assert (pair.pair_id, pair.truth) == ("pair1", None)
    with pytest.raises(FileNotFoundError, match=r"the folder has no pairmeta\.txt"):
        as_pairs(layouts / "loose", format="tuebingen")
    renamed = (layouts / "cdt.csv").rename(layouts / "cdt.gibberish")
    assert [pair.pair_id for pair in as_pairs(renamed, format="cdt")] == ["a"]
    with pytest.raises(ValueError, match="format must be one of 'tuebingen', 'folder', 'cdt', "):
        as_pairs(renamed, format="hdf")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("table.csv.gz", CDT.encode(), "pass format="),
        ("table", CDT.encode(), "pass format="),
        ("p.tsv", b"", "the file is empty$"),
        ("p.parquet", b"", "the file is empty$"),
        ("p.zip", b"\x1f\x8b\x08\0\0", "the file is compressed.*; unpack it$"),
        ("p.csv", b"\x1f\x8b\x08\0\0", "the file is compressed.*; unpack it$"),
    ],
)
def test_a_file_of_no_format_is_one_sentence(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SourceError, match=message) as caught:
        as_pairs(tmp_path / name)
    assert str(caught.value).startswith(f"{tmp_path / name}: ")


@pytest.mark.parametrize("format", [None, "tuebingen", "cdt", "table"])
def test_missing_paths_and_folders_are_system_errors(layouts, format):
    with pytest.raises(FileNotFoundError, match=r"none\.csv"):
        as_pairs(layouts / "none.csv", format=format)
    if format in ("cdt", "table"):
        with pytest.raises(IsADirectoryError, match=f"a folder, but format '{format}' is a file"):
            as_pairs(layouts, format=format)
    if format == "tuebingen":
        with pytest.raises(NotADirectoryError, match="not a folder"):
            as_pairs(layouts / "cdt.csv", format=format)


def test_options_without_an_effect_are_refused(layouts):
    for source in ("sample", layouts / "pairs", {}, iter([]), as_pairs("sample")):
        for name, value in (("columns", "all"), ("targets", {"a": 1})):
            with pytest.raises(ValueError, match=f"{name} is for"):
                as_pairs(source, **{name: value})
    for source, options, message in (
        (layouts / "cdt.csv", {"columns": "all"}, "columns is for tables"),
        (np.zeros((3, 2)), {"columns": "all", "targets": {}}, "targets is for"),
        ({}, {"format": "cdt"}, "format='cdt' is for paths"),
        ("", {}, "source must name"),
    ):
        with pytest.raises(ValueError, match=message):
            as_pairs(source, **options)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
@pytest.mark.parametrize("format", [None, "cdt", "table", "parquet"])
def test_a_pipe_is_refused_before_its_beginning_is_lost(tmp_path, format):
    os.mkfifo(tmp_path / "p.csv")
    with pytest.raises(SourceError, match=r"p\.csv: a pipe or device can be read only once"):
        as_pairs(tmp_path / "p.csv", format=format)
