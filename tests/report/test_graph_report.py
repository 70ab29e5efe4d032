import os
import re
import sys

import numpy as np
import pandas as pd
import pytest
from html_page import Page

from anmmm import infer_graph
from anmmm.report import write_graph_report
from subprocess_helpers import largest_file

pytest.importorskip("matplotlib")
pytest.importorskip("jinja2")

HOSTILE = "<script>alert('&\"')</script>\u202e"


@pytest.fixture(scope="module")
def graph():
    rng = np.random.default_rng(0)
    switched = rng.random(400) < 0.45
    u, v = rng.uniform(-2, 2, (2, 400))
    noise = 0.2 * rng.normal(size=(3, 400))
    table = pd.DataFrame({"dose": u, HOSTILE: v})
    table["response"] = np.where(switched, np.sin(1.5 * u), 1 - u) + noise[0]
    table["pressure"] = np.where(switched, v**2 - 1, 1.2 * v) + noise[1]
    hidden = rng.normal(size=400)
    table["one"], table["other"] = hidden + noise[2], np.tanh(hidden) + 0.2 * rng.normal(size=400)
    within = [("dose", "->", "response"), (HOSTILE, "->", "pressure")]
    return infer_graph(table, within=within, columns=list(table))


def test_the_page_shows_edges_assumptions_and_hidden_variables(graph, tmp_path):
    write_graph_report(graph, tmp_path / "page.html", name="table.csv")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    page = Page(text)
    # Nothing from elsewhere.
    assert not page.all("script")
    assert "//" not in re.sub(r'src="data:[^"]*"', "", text)
    pictures = page.all("img")
    assert len(pictures) == 1 + len(graph.edges) == 3
    assert "\u202e" not in text
    assert all(each["src"].startswith("data:") and each["alt"] for each in pictures)
    assert text.count(">direction given</div>") == 2
    assert "within (assumed): dose -&gt; response" in text
    assert "2 mechanisms, additive Gaussian noise" in text
    assert "One hidden variable of 2 values" in text
    assert "beyond this graph" in text
    write_graph_report(graph, tmp_path / "again.html", name="table.csv")
    assert (tmp_path / "again.html").read_text(encoding="utf-8") == text


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX limits")
@pytest.mark.parametrize("name", ["g.csv", "g.json", "g.graphml", "g.html"])
def test_a_full_disk_names_the_file(graph, tmp_path, name):
    # Imports may write files of their own.
    write = write_graph_report if name == "g.html" else type(graph).write
    write(graph, tmp_path / f"first-{name}")
    with largest_file(100), pytest.raises(OSError, match="File too large") as caught:
        write(graph, tmp_path / name, force=True)
    assert caught.value.filename == str(tmp_path / name)
    assert os.listdir(tmp_path) == [f"first-{name}"]


def test_what_is_no_graph_is_refused(tmp_path):
    with pytest.raises(TypeError, match="found list"):
        write_graph_report([], tmp_path / "page.html")
