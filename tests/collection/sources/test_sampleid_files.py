import operator

import numpy as np
import pytest

from anmmm.collection import SourceError, as_pairs

KAGGLE = (
    "SampleID,Target [1 for A->B; -1 otherwise],"
    "Details [1 for A->B; 2 for A<-B; 3 for A-B; 4 for A|B]\n"
)


def write(folder, text, name="pairs.csv"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_a_line_is_a_pair_with_its_id_and_columns_in_order(tmp_path):
    path = write(tmp_path, "SampleID,A,B\ntrain2, 1 2 3, 4 5 6\ntrain1,7 8 , 9 -1e-3\n")
    first, second = as_pairs(path)
    assert (first.pair_id, second.pair_id) == ("train2", "train1")
    np.testing.assert_array_equal(first.x, [1, 2, 3])
    np.testing.assert_array_equal(first.y, [4, 5, 6])
    np.testing.assert_array_equal(second.y, [9, -0.001])
    assert (first.truth, first.weight, first.problem) == (None, 1.0, "")
    assert operator.length_hint(as_pairs(path), -1) == -1


@pytest.mark.parametrize("line_end", ["\r", "\r\n", "\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_line_ends_marks_and_blank_lines(tmp_path, line_end, mark):
    text = f"SampleID,A,B{line_end}{line_end}ä,1 2,3 4{line_end}\t{line_end}b,5 6,7 8"
    path = write(tmp_path, mark + text.encode())
    targets = write(tmp_path, mark + f"SampleID,Target{line_end}ä,-1".encode(), "targets.csv")
    first, second = as_pairs(path, targets=targets)
    assert (first.pair_id, first.truth, first.problem) == ("ä", -1, "")
    assert (second.pair_id, second.truth, second.problem) == ("b", None, "")
    np.testing.assert_array_equal(second.y, [7, 8])


def test_targets_are_joined_by_id(tmp_path):
    path = write(tmp_path, "SampleID,A,B\n" + "".join(f"p{i},1 2,3 4\n" for i in range(5)))
    targets = write(tmp_path, KAGGLE + "p3,0,4\np0,1,1\nother,1,1\np2,-1,2\n", "targets.csv")
    truths = {pair.pair_id: pair.truth for pair in as_pairs(path, targets=targets)}
    assert truths == {"p0": 1, "p1": None, "p2": -1, "p3": 0, "p4": None}
    plain = write(tmp_path, "SampleID,Target\np1,-1.0\np2,\n", "plain.csv")
    assert [pair.truth for pair in as_pairs(path, targets=plain)] == [None, -1, None, None, None]
    held = as_pairs(path, targets={"p4": -1, "p0": None})
    assert [pair.truth for pair in held] == [None, None, None, None, -1]


def test_missing_values_are_dropped_by_row_and_counted(tmp_path):
    (pair,) = as_pairs(write(tmp_path, "SampleID,A,B\na,1 NA 3 nan 5,1 2 ? 4 5\n"))
    np.testing.assert_array_equal(pair.x, [1, 5])
    np.testing.assert_array_equal(pair.y, [1, 5])
    assert pair.n_dropped == 3


@pytest.mark.parametrize(
    ("line", "pair_id", "problem"),
    [
        (b"a,1_0 2,3 4", "a", "pairs.csv:2: A holds '1_0'"),
        (b"a,1 2 3,3 4", "a", "pairs.csv:2: x has 3 values"),
        (b"a,1 2", "line 2", "pairs.csv:2: expected 3 cells"),
        (b"a,1 2,3 4,5 6", "line 2", "pairs.csv:2: expected 3 cells"),
        (b",1 2,3 4", "line 2", "pairs.csv:2: the SampleID is missing"),
        (b"\xe4,1 2,3 4", "line 2", "pairs.csv:2: the line is not UTF-8"),
        (b'"a,1 2,3 4', "line 2", "pairs.csv:2: a double quote"),
    ],
)
def test_a_broken_line_is_a_problem_and_the_next_one_is_read(tmp_path, line, pair_id, problem):
    path = write(tmp_path, b"SampleID,A,B\n" + line + b"\nb,1 2,3 4\n")
    broken, whole = as_pairs(path, targets={"a": -1})
    assert (broken.pair_id, len(broken.x)) == (pair_id, 0)
    assert broken.problem.startswith(problem)
    assert broken.truth == (-1 if pair_id == "a" else None)
    assert (whole.pair_id, whole.problem) == ("b", "")


def test_a_second_line_of_an_id_is_refused_with_both_places(tmp_path):
    path = write(tmp_path, "SampleID,A,B\na,1 2,3 4\nb,1 2,3 4\n\na,5 6,7 8\n")
    walk = iter(as_pairs(path))
    assert [next(walk).pair_id, next(walk).pair_id] == ["a", "b"]
    with pytest.raises(SourceError, match=r"pairs.csv:5: the pair id 'a' was used in line 2") as e:
        next(walk)
    assert (e.value.path, e.value.place) == (str(path), "line 5")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "pairs.csv: the file is empty"),
        ("SampleID,A,B\n \n\n", "pairs.csv: a header, but no pair after it"),
        ("ID,A,B\na,1,2\n", "pairs.csv:1: expected the header"),
        ("PAR1\0\x15", "pairs.csv: the file is binary"),
        ("ä".encode("utf-16"), "pairs.csv: the file is UTF-16"),
    ],
)
def test_files_without_header_or_pairs_are_refused_at_once(tmp_path, text, message):
    with pytest.raises(SourceError) as caught:
        as_pairs(write(tmp_path, text), format="cdt")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "t.csv:1: expected the header"),
        ("SampleID,Target\na,1\na,1\n", "t.csv:3: the pair id 'a' was used"),
        ("SampleID,Target\na,2\n", "t.csv:2: the truth must be"),
        ("SampleID,Target\na\n", "t.csv:2: expected SampleID,Target"),
        (b"SampleID,Target\n\xe4,1\n", "t.csv:2: this is not UTF-8"),
    ],
)
def test_broken_targets_are_refused_at_once(tmp_path, text, message):
    path = write(tmp_path, "SampleID,A,B\na,1 2,3 4\n")
    with pytest.raises(SourceError) as caught:
        as_pairs(path, targets=write(tmp_path, text, "t.csv"))
    assert message in str(caught.value)
    with pytest.raises(ValueError, match="targets: the key 'a': the truth must be 1"):
        as_pairs(path, targets={"a": 2})
