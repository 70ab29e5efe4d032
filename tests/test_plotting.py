import sys

import pytest

from anmmm.evaluation import decision_rates
from anmmm.plotting import plot_decision_rates

RATES = decision_rates([0.9, 0.8, 0.6, 0.5], [True, True, False, True])


@pytest.fixture
def figure():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    return Figure()


def test_curves_are_the_rates(figure):
    ax = figure.add_subplot()
    assert plot_decision_rates({"one": RATES, "other": RATES}, ax=ax) is ax
    lines = [container[0] for container in ax.containers]
    assert len(lines) == 2
    assert lines[0].get_xdata().tolist() == (100 * RATES.rates).tolist()
    assert lines[0].get_ydata().tolist() == RATES.accuracy.tolist()
    assert lines[0].get_color() != lines[1].get_color()
    assert lines[0].get_marker() != lines[1].get_marker()
    assert ax.get_xlabel()
    assert ax.get_ylabel()
    assert {text.get_text() for text in ax.get_legend().get_texts()} == {"one", "other", "guessing"}
    figure.canvas.draw()


def test_axes_of_a_new_figure(figure):
    from matplotlib import pyplot

    ax = plot_decision_rates(RATES)
    assert len(ax.containers) == 1
    pyplot.close(ax.figure)


def test_nothing_to_draw():
    with pytest.raises(ValueError, match="rates must hold at least one DecisionRates"):
        plot_decision_rates({})


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r'pip install "anmmm\[plot\]"'):
        plot_decision_rates(RATES)


def test_the_package_imports_without_matplotlib():
    import subprocess

    code = "import sys, anmmm.plotting; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
