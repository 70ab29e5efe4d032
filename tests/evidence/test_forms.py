"""Names and texts of models, and what a new model needs."""

import math

import numpy as np
import pytest

from anmmm.evidence import description_lengths, models
from anmmm.evidence.code import gaussian_nats, noise_levels
from anmmm.evidence.models import ConditionalModel, EffectCurves, model_text
from anmmm.evidence.models.form import ATOM, LINK, NOISE, RANGES, RESCALED, Form


class Line(ConditionalModel):
    """A straight line with Gaussian noise."""

    FORM = Form("line", "a straight line with Gaussian noise")

    line: np.ndarray
    slope: float
    scale: float

    @classmethod
    def encode(cls, fits):
        cells = fits.effect.cells
        x = fits.cause.basis.cause
        slope = x @ cells.values / (x @ x)
        line = slope * x
        scale = np.std(cells.values - line)
        nats = gaussian_nats(cells.lower, cells.upper, cells.n_distinct, line, scale)
        yield cls(nats, math.log(len(x)), cells, line, slope, scale)

    def curves(self, points):
        return EffectCurves.about(self.slope * points, self.scale)

    def levels(self):
        return noise_levels(self.cells, self.line, self.scale)


def test_a_model_is_added_by_a_class_and_a_line(rng, monkeypatch):
    monkeypatch.setattr(models, "MODELS", (*models.MODELS, Line))
    x = rng.normal(size=200)
    side = description_lengths(x, x + rng.normal(size=200)).forward
    assert side.model == "line"
    assert side.text == model_text("line") == "a straight line with Gaussian noise"
    assert side.check.pvalue > 0.01


@pytest.mark.parametrize(
    ("form", "name", "text"),
    [
        (Form("a", "{mechanisms}", 3), "a-3", "3 mechanisms"),
        (Form("a", "{mechanisms}", 1).plus(ATOM), "a-1+atom", "one mechanism" + ATOM.words),
        (Form("a", "Gaussian noise").plus(NOISE), "a+noise", "noise of a fitted density"),
        (Form("a", "levels cut").plus(LINK), "a+link", "levels cut smoothly"),
        (Form("a", "b").plus(RESCALED).plus(RANGES), "a+rescaled+ranges", None),
        (Form("a", "b").plus(ATOM).plus(ATOM), "a+atom+atom", "b" + ATOM.words),
    ],
)
def test_a_form_has_a_name_and_a_text(form, name, text):
    assert str(form) == name
    assert form.text == (text or form.base_text + RESCALED.words + RANGES.words)


@pytest.mark.parametrize("name", ["anm", "pnl-2", "pnl+moon", "moon", "anm-x+atom", ""])
def test_unknown_names_have_no_text(name):
    assert model_text(name) == name
