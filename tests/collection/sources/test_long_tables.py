"""Tables in long form: a row for each observation, as in long Parquet files."""

import pandas as pd
import polars as pl
import pytest

from anmmm.collection import SourceError, as_pairs

TEXT = "pair_id,x,y,target,weight,group\na,1,2,1,0.5,g\nb,3,4,-1,,\na,5,6,1,0.5,g\nb,7,,-1,,\n"


def summary(source):
    return [(p.pair_id, p.x.tolist(), p.truth, p.weight, p.group, p.n_dropped) for p in source]


EXPECTED = [("a", [1, 5], 1, 0.5, "g", 0), ("b", [3], -1, 1.0, None, 1)]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_text_file_in_long_form_is_a_pair_for_each_id(tmp_path, separator):
    path = tmp_path / "long.csv"
    path.write_text(TEXT.replace(",", separator))
    source = as_pairs(path)
    assert summary(source) == summary(source) == EXPECTED


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_frame_in_long_form_is_a_pair_for_each_id(frame):
    data = {"pair_id": ["a", "b", "a"], "x": [1.0, 3.0, 5.0], "y": [2, 4, 6], "truth": [1, 0, 1]}
    assert [(p.pair_id, p.x.tolist(), p.truth) for p in as_pairs(frame(data))] == [
        ("a", [1, 5], 1),
        ("b", [3], 0),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pair_id,x,y\na,1,2\na,<3,4\n", "long.csv:3: x holds '<3'.*detection limit"),
        ("pair_id,x,y\na,u,2\na,v,4\n", "column 'x' must hold numbers"),
        ("pair_id,x,y,truth,target\na,1,2,1,1\n", "truth, target; keep one"),
        ("id,x,y\na,1,2\n", "name the columns pair_id, x and y"),
    ],
)
def test_a_file_that_is_not_of_the_form_is_refused_at_once(tmp_path, text, message):
    path = tmp_path / "long.csv"
    path.write_text(text)
    with pytest.raises(SourceError, match=message):
        as_pairs(path)


def test_broken_pairs_have_a_problem(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("pair_id,x,y,truth\na,1,2,1\na,3,4,-1\n,5,6,1\nb,7,8,2\n")
    problems = [pair.problem for pair in as_pairs(path)]
    for problem, words in zip(problems, ("truth must be the same", "no pair_id", "2"), strict=True):
        assert words in problem
