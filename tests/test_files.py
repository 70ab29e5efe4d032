import json
import os
import stat

import numpy as np
import pytest

from anmmm._files import atomic_writer, check_output, to_json, write_csv


def test_csv_has_every_digit_and_quotes_what_needs_it(tmp_path):
    path = tmp_path / "rows.csv"
    row = {"id": 'a, "b"', "v": 0.1 + 0.2, "m": np.float64(1e-300), "n": None, "k": np.int64(3)}
    write_csv(path, list(row), [row, {**row, "m": np.float32(0.5), "n": True}])
    cells = '"a, ""b""",0.30000000000000004'
    expected = f"id,v,m,n,k\n{cells},1e-300,,3\n{cells},0.5,True,3\n"
    assert path.read_bytes().decode() == expected


def test_json_is_strict_and_exact():
    document = {
        "a": np.float64(0.1),
        "b": [np.nan, -np.inf, np.int32(2)],
        "c": np.arange(2.0),
        "λ": None,
    }
    text = to_json(document)
    assert json.loads(text) == {"a": 0.1, "b": [None, None, 2], "c": [0.0, 1.0], "λ": None}
    assert "NaN" not in text


def test_no_character_of_a_name_turns_the_text_around():
    names = "a\u202eb\u2066c\u200fd\x9be"
    for line in (False, True):
        text = to_json({names: [names]}, line=line)
        assert json.loads(text) == {names: [names]}
        assert text.isascii()
        assert ("\n" in text) != line


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("old")

    def rows():
        yield {"a": 1}
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_csv(path, ["a"], rows())
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["rows.csv"]


def test_the_name_is_taken_only_when_complete(tmp_path):
    path = tmp_path / "x.txt"
    with atomic_writer(path) as file:
        file.write("half")
        file.flush()
        assert not path.exists()
    assert path.read_text() == "half"
    assert os.listdir(tmp_path) == ["x.txt"]


@pytest.mark.skipif(os.name == "nt", reason="permission bits and links of POSIX")
def test_permissions_and_links_survive(tmp_path):
    path, link = tmp_path / "x.txt", tmp_path / "link.txt"
    path.write_text("old")
    path.chmod(0o604)
    link.symlink_to(path)
    with atomic_writer(link) as file:
        file.write("new")
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o604
    umask = os.umask(0o022)
    try:
        with atomic_writer(tmp_path / "fresh") as file:
            file.write("")
    finally:
        os.umask(umask)
    assert stat.S_IMODE((tmp_path / "fresh").stat().st_mode) == 0o644


def test_check_output(tmp_path):
    check_output(tmp_path / "new.csv")
    assert os.listdir(tmp_path) == []
    (tmp_path / "old.csv").write_text("old")
    check_output(tmp_path / "old.csv", force=True)
    with pytest.raises(FileExistsError, match="exists"):
        check_output(tmp_path / "old.csv")
    with pytest.raises(FileExistsError, match="is part of the input"):
        check_output(tmp_path / "old.csv", tmp_path / "old.csv", force=True)
    assert (tmp_path / "old.csv").read_text() == "old"
    with pytest.raises(FileNotFoundError, match="no such folder"):
        check_output(tmp_path / "none" / "x.csv")
    with pytest.raises(IsADirectoryError, match="this is a folder"):
        check_output(tmp_path)


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs a folder that refuses files")
def test_a_folder_that_refuses_files():
    with pytest.raises(OSError, match=r"x\.csv"):
        check_output("/proc/self/x.csv")


def test_two_writers_of_one_name_do_not_meet(tmp_path):
    path = tmp_path / "rows.csv"
    with atomic_writer(path) as first:
        first.write("first")
        with atomic_writer(path) as second:
            second.write("second, and longer")
        first.write(" and last")
    assert path.read_text() == "first and last"
    assert os.listdir(tmp_path) == ["rows.csv"]
