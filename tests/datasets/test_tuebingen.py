import os
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from anmmm.datasets import SourceError, load_pairs
from anmmm.datasets.tuebingen_groups import group_of

SHARED = Path(__file__).parents[2] / ".." / "shared" / "data" / "tuebingen"
REAL = Path(os.environ.get("ANMMM_TUEBINGEN", SHARED))


TWO = "1 2\n3 4\n"


def write(folder, files):
    for name, text in files.items():
        (folder / name).write_bytes(text.encode())


@pytest.fixture
def folder(tmp_path):
    """A folder that shows each trap of the collection."""
    files = {
        "pairmeta.txt": "0001 1 1 2 2 0.166\n0047 2 2 1 1 1\n0052 3 4 1 2 0\n"
        "0053 2 4 1 1 0\n0072 1 1 2 2 0.5 \n0081 1 1 2 2 0.3333\n0090 1 1 2 2 1\n"
        "0091 1 1 2 2 1\n0092 1 1 3 3 1\n0099 2 2 1 1 1.0\n",
        "pair0001.txt": "1 10\n2 20\n",
        "pair0047.txt": "7679 \t 1 \r\n7600 \t 2 \r\n",
        "pair0052.txt": "1 2 3\t4\n5 6 7\t8\n",
        "pair0053.txt": "1 2 3\t4\n5 6 7\t8\n",
        "pair0072.txt": " 1.5\t\t-2e-001\n 2.5\t\t3\n",
        "pair0081.txt": "1 10 NaN\nNaN 20 1\n3 30 NaN\n4 40 1\n",
        "pair0090.txt": "1 2\n3 oops\n",
        "pair0092.txt": TWO,
        "pair0099.txt": TWO,
        "pair0099_des.txt": "A description.",
        "README.md": "Read me.",
    }
    write(tmp_path, files)
    return tmp_path


def test_column_order_is_kept_and_truth_is_the_cause(folder):
    pairs = load_pairs(folder)
    first = pairs["pair0001"]
    np.testing.assert_array_equal(first.x, [1, 2])
    np.testing.assert_array_equal(first.y, [10, 20])
    assert (first.truth, first.weight) == (1, 0.166)
    later = pairs["pair0047"]
    np.testing.assert_array_equal(later.x, [7679, 7600])
    np.testing.assert_array_equal(later.y, [1, 2])
    assert later.truth == -1


def test_columns_of_a_header_keep_their_names(tmp_path):
    write(tmp_path, {"a.txt": "dose\tlife time\n1\t10\n2\t20\n", "b.txt": "1 10\n2 20\n"})
    pairs = load_pairs(tmp_path)
    assert [pair.names for pair in pairs] == [("dose", "life time"), ("x", "y")]


def test_multivariate_pairs_keep_their_blocks_in_file_order(folder):
    pairs = load_pairs(folder)
    equal, unequal = pairs["pair0052"], pairs["pair0053"]
    np.testing.assert_array_equal(equal.x, [[1, 2], [5, 6]])
    np.testing.assert_array_equal(equal.y, [[3, 4], [7, 8]])
    assert (equal.truth, equal.weight) == (-1, 0.0)
    np.testing.assert_array_equal(unequal.x, [1, 5])
    np.testing.assert_array_equal(unequal.y, [[2, 3, 4], [6, 7, 8]])


def test_missing_values_of_other_columns_cost_no_rows(folder):
    aligned = load_pairs(folder)["pair0072"]
    np.testing.assert_array_equal([aligned.x, aligned.y], [[1.5, 2.5], [-0.2, 3]])
    pair = load_pairs(folder)["pair0081"]
    np.testing.assert_array_equal(pair.x, [1, 3, 4])
    np.testing.assert_array_equal(pair.y, [10, 30, 40])
    assert pair.n_dropped == 1


def test_a_sequence_whose_length_and_ids_are_known_without_reading_a_file(folder):
    for file in folder.glob("pair0*.txt"):
        file.unlink()
    pairs = load_pairs(folder)
    assert len(pairs) == 10
    assert pairs[-1].pair_id == "pair0099"
    assert pairs[1:3].ids == ("pair0047", "pair0052")
    assert [pair.pair_id for pair in pairs] == list(pairs.ids)
    assert repr(pairs).startswith("<10 pairs in ")
    with pytest.raises(KeyError, match="no pair 'pair7'"):
        pairs["pair7"]
    with pytest.raises(IndexError):
        pairs[10]


def test_loose_files_are_pairs_of_unknown_truth(tmp_path):
    write(tmp_path, dict.fromkeys(("pair10.txt", "pair2.txt", "wind.csv"), "1,2\n3,4\n"))
    write(tmp_path, dict.fromkeys(("pair2_des.txt", "README.txt", ".hidden.csv"), "words"))
    write(tmp_path, {"three.csv": "1,2,3\n"})
    pairs = load_pairs(tmp_path)
    assert pairs.ids == ("pair2", "pair10", "three", "wind")
    assert (pairs[0].truth, pairs[0].weight, pairs[0].group) == (None, 1.0, None)
    assert pairs["three"].problem.startswith("three.csv: expected 2 columns, found 3")


def test_pairs_of_one_data_set_share_a_group():
    groups = {number: group_of(number) for number in range(1, 109)}
    assert None not in groups.values()
    assert (group_of(0), group_of(109)) == (None, None)
    assert groups[1] == groups[20] != groups[5]
    assert groups[97] == groups[104] != groups[101] == groups[105]
    assert groups[18] == "data set of pair0018"
    together = [tuple(n for n in groups if groups[n] == name) for name in set(groups.values())]
    sizes = Counter(map(len, together))
    # 39 data sets with a weight, and the pairs 52, 53, 55, 71 without.
    assert sum(sizes.values()) == 43
    assert sizes == {1: 24, 2: 3, 3: 6, 4: 3, 5: 3, 6: 1, 7: 1, 8: 1, 12: 1}


def test_groups_are_known_by_the_ids_and_weights_of_the_collection(tmp_path):
    def groups(meta):
        (tmp_path / "pairmeta.txt").write_text(meta)
        return [pair.group for pair in load_pairs(tmp_path)]

    lines = "0012 1 1 2 2 0.5\n0077 2 2 1 1 0.5\n0017 1 1 2 2 0.5\n0018 1 1 2 2 1\n"
    known = ["census income", "Furtwangen weather", "census income", "data set of pair0018"]
    assert groups(lines) == known
    for other in (
        lines.replace("0.5", "1"),
        "0012 1 1 2 2\n0017 1 1 2 2\n",
        lines + "0109 1 1 2 2 1\n",
        lines + "ours 1 1 2 2 1\n",
        "0018 1 1 2 2 1\n",
    ):
        assert set(groups(other)) == {None}


@pytest.mark.skipif(not REAL.is_dir(), reason="the Tübingen collection is not here")
def test_the_real_collection():
    pairs = {pair.pair_id: pair for pair in load_pairs(REAL)}
    assert len(pairs) == 108
    assert sum(pair.truth == -1 for pair in pairs.values()) == 30
    assert not [pair.problem for pair in pairs.values() if pair.problem]
    multivariate = [key for key, pair in pairs.items() if max(pair.x.ndim, pair.y.ndim) > 1]
    assert multivariate == [f"pair{n:04d}" for n in (52, 53, 54, 55, 71, 105)]
    weights = Counter()
    for pair in pairs.values():
        weights[pair.group] += pair.weight
    assert len(weights) == 43
    unweighted = [f"data set of pair00{number}" for number in (52, 53, 55, 71)]
    for group, weight in weights.items():
        assert weight == pytest.approx(0.0 if group in unweighted else 1.0, abs=0.005)
    lengths = [len(pair.x) for pair in pairs.values()]
    assert (min(lengths), max(lengths)) == (72, 16_382)
    assert [len(pairs[f"pair00{n}"].x) for n in (81, 82, 83)] == [365, 365, 365]
    assert all(np.isfinite(pair.x).all() and np.isfinite(pair.y).all() for pair in pairs.values())


def test_broken_pairs_have_their_problem_and_end_nothing(folder):
    pairs = {pair.pair_id: pair for pair in load_pairs(folder)}
    assert len(pairs) == 10
    for pair_id, problem in (
        ("pair0090", "pair0090.txt:2: column 2 holds 'oops'"),
        ("pair0091", "pair0091.txt: no such file"),
        ("pair0092", "pair0092.txt: pairmeta.txt names column 3"),
    ):
        broken = pairs[pair_id]
        assert broken.problem.startswith(problem)
        assert (len(broken.x), broken.truth, broken.weight) == (0, 1, 1.0)
    assert pairs["pair0099"].problem == ""


@pytest.mark.parametrize(
    ("meta", "message"),
    [
        ("1 1 1\n", ":1: expected 'id cause_first"),
        ("1 1 1 2 2 1\n2 0 1 2 2 1\n", ":2: columns count from 1"),
        ("1 1 2 2 3 1\n", ":1: cause and effect share a column"),
        ("1 1 1 2 2 -1\n", ":1: the weight must be a number"),
        ("1 a 1 2 2 1\n", ":1: columns must be whole numbers"),
        ("", ": the file is empty"),
        ("0001 1 1 2 2\n0001 2 2 1 1\n", ":2: the pair id 'pair0001' was used"),
        ("pair/../../x 1 1 2 2\n", ":1: the id must be the name of a file"),
    ],
)
def test_a_broken_meta_file_is_an_error_with_its_line(tmp_path, meta, message):
    (tmp_path / "pairmeta.txt").write_text(meta)
    with pytest.raises(SourceError) as caught:
        load_pairs(tmp_path)
    assert str(caught.value).startswith(f"{tmp_path / 'pairmeta.txt'}{message}")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (",p,q\n0,1,2\n1,3,4\n", ""),
        ('"p" "q"\n"1" 1 2\n"2" 3 4\n', ""),
        ("i,p,q\n0,1,2\n1,3,4\n", "expected 2 columns, found 3"),
        (",p,q\n0.5,1,2\n1,3,4\n", "expected 2 columns, found 3"),
    ],
)
def test_an_unnamed_column_of_row_numbers_is_no_variable(tmp_path, text, problem):
    write(tmp_path, {"a.csv": text})
    (pair,) = load_pairs(tmp_path)
    assert problem in pair.problem
    assert bool(problem) == bool(pair.problem)
    if not problem:
        assert (pair.x.tolist(), pair.y.tolist()) == ([1, 3], [2, 4])


def test_two_files_of_one_id_are_refused(tmp_path):
    write(tmp_path, dict.fromkeys(("same.txt", "same.csv"), TWO))
    with pytest.raises(SourceError, match=r"same.txt: the pair id 'same' was used in same.csv"):
        load_pairs(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe_or_a_broken_link_is_a_problem_that_nothing_waits_for(tmp_path):
    write(tmp_path, {"a.txt": TWO})
    os.mkfifo(tmp_path / "pipe.txt")
    (tmp_path / "link.txt").symlink_to(tmp_path / "gone.txt")
    problems = {pair.pair_id: pair.problem for pair in load_pairs(tmp_path)}
    assert problems == {
        "a": "",
        "link": "link.txt: no such file",
        "pipe": "pipe.txt: no such file",
    }


def test_missing_and_empty_folders_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="no such folder"):
        load_pairs(tmp_path / "none")
    with pytest.raises(FileNotFoundError, match="no pair file"):
        load_pairs(tmp_path)
