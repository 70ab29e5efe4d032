"""The recipe of the embedded sample."""

import numpy as np

from anmmm.datasets.sample import SAMPLE
from benchmarks.make_sample import MAX_ROWS, make_sample


def test_the_recipe_keeps_small_pairs_whole_and_thins_long_ones_in_order(tmp_path):
    source, first, second = tmp_path / "source", tmp_path / "a", tmp_path / "b"
    source.mkdir()
    (source / "pairmeta.txt").write_text((SAMPLE / "pairmeta.txt").read_text())
    for file in SAMPLE.glob("pair0*.txt"):
        (source / file.name).write_text(file.read_text())
    (source / "pair0043.txt").write_text("".join(f"{n} {2 * n}\r\n" for n in range(1000)))
    make_sample(source, first)
    make_sample(source, second)
    assert (first / "pair0049.txt").read_text() == (SAMPLE / "pair0049.txt").read_text()
    thinned = np.loadtxt(first / "pair0043.txt")
    assert thinned.shape == (MAX_ROWS, 2)
    assert (np.diff(thinned[:, 0]) > 0).all()
    assert (first / "pair0043.txt").read_bytes() == (second / "pair0043.txt").read_bytes()
