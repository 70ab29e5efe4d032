"""
How to add a conditional model
==============================

Each direction is described by the shortest of a list of models of the effect. One more is a class with four members. Here it is
a straight line with Laplace noise: three parameters; a curve with a fitted density has more.
"""

import numpy as np

from anmmm import infer_direction
from anmmm.evidence import models
from anmmm.evidence.code import code_lengths
from anmmm.evidence.models import ConditionalModel, EffectCurves
from anmmm.evidence.models.form import Form
from anmmm.plotting import plot_direction

# %%
# The model
# ---------
# ``encode`` gets the fits that models share, with cause and effect standardized, and yields the model with the nats of each
# observation and the cost of its parameters, half a logarithm of N each. Encoded is the *cell* of an observation, the interval between
# the nearest other values, so that rounding and ties cost both directions the same.
# The base class makes a frozen dataclass of the model.


class LaplaceLine(ConditionalModel):
    """A straight line with Laplace noise."""

    FORM = Form("laplace", "a straight line, Laplace noise")

    slope: float
    offset: float
    scale: float
    x: np.ndarray

    @classmethod
    def encode(cls, fits):
        """Fit by least absolute deviations, reweighted least squares."""
        x, cells = fits.cause.cells.values, fits.effect.cells
        design, weights = np.column_stack([x, np.ones_like(x)]), np.ones_like(x)
        for _ in range(30):
            root = np.sqrt(weights)
            slope, offset = np.linalg.lstsq(
                design * root[:, None], cells.values * root, rcond=None
            )[0]
            residual = np.abs(cells.values - slope * x - offset)
            weights = 1 / np.maximum(residual, 1e-3)
        scale = residual.mean()
        below, above = (
            laplace_cdf((ends - slope * x - offset) / scale) for ends in (cells.lower, cells.upper)
        )
        nats = code_lengths(above - below, cells.n_distinct)
        yield cls(nats, 1.5 * np.log(len(x)), cells, slope, offset, scale, x)

    def curves(self, at):
        """Evaluate the line, and one standard deviation around it."""
        return EffectCurves.about(self.slope * at + self.offset, np.sqrt(2) * self.scale)

    def levels(self):
        """Return the distribution function of the noise at both ends of each cell, for the check."""
        middle = self.slope * self.x + self.offset
        return tuple(
            laplace_cdf((ends - middle) / self.scale)
            for ends in (self.cells.lower, self.cells.upper)
        )


def laplace_cdf(u):
    """Distribution function of Laplace's distribution."""
    return np.where(u < 0, 0.5 * np.exp(np.minimum(u, 0)), 1 - 0.5 * np.exp(-np.maximum(u, 0)))


# %%
# Before, and with it
# -------------------
# A line with Laplace noise of a uniform cause.

rng = np.random.default_rng(0)
x = rng.uniform(-1, 1, 200)
y = x + rng.laplace(scale=0.25, size=200)
before = infer_direction(x, y)
print(f"{before.models.forward.model:16} {before.score:+.3f} {before.confidence:.3f}")

# %%
# Add the model to the list. In the package that is a line of ``MODELS`` in ``anmmm/evidence/models/__init__.py``.

listed = models.MODELS
models.MODELS = (*listed, LaplaceLine)
after = infer_direction(x, y)
print(f"{after.models.forward.model:16} {after.score:+.3f} {after.confidence:.3f}")

# %%
axes = plot_direction(after)

# %%
# The confidence was calibrated for the models that the package has. A model that stays needs
# ``python -m benchmarks.calibrate`` again, on new seeds.

models.MODELS = listed
