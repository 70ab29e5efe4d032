"""Standard output and error that are missing, as of programs without a console, or closed."""

import io
import sys

import numpy as np
import pytest

import anmmm
from anmmm import _compiling
from anmmm.datasets import make_anm_mixture

X, Y, _ = make_anm_mixture("f3", 60, random_state=1)


def closed():
    stream = io.StringIO()
    stream.close()
    return stream


@pytest.mark.parametrize("stream", [None, closed()], ids=["missing", "closed"])
def test_progress_without_streams(stream, monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "stderr", stream)
    for n_jobs in (None, 1):
        rows = anmmm.infer_directions({"a": (X, Y)}, progress=True, n_jobs=n_jobs)
        assert [row.status for row in rows] == ["ok"]
    # Joblib needs both to start processes.
    monkeypatch.setattr(sys, "stdout", stream)
    assert anmmm.infer_graph(np.column_stack([X, Y]), progress=True).n_samples == 60
    assert anmmm.evaluate([(X, Y)], progress=True).rows
    rows = anmmm.infer_directions({"a": (X, Y)})
    anmmm.report.write_report(rows, tmp_path / "a.html", source={"a": (X, Y)}, progress=True)
    _compiling.announce()
