"""Models by which no direction is sure, however much shorter it is.

docs/method/decisions.md, "Traps".
"""

from __future__ import annotations

from anmmm.evidence.models.gaussian import (
    AdditiveFreeNoise,
    LocationScale,
    LocationScaleFreeNoise,
    LocationScaleLinked,
)
from anmmm.evidence.models.jumps import Jumps
from anmmm.evidence.models.parts import TwoPart
from anmmm.evidence.models.postnonlinear import PostNonlinear, PostNonlinearFreeNoise
from anmmm.evidence.models.rescaled import Rescaled

FLEXIBLE_NOTE = "neither direction is simple (selected rows?): not sure"
LINKED_NOTE = "fits only after the effect is rescaled to a Gaussian distribution: not sure"
ATOMS_NOTE = "several values of many rows (rounded in several ways?): not sure"
SCALE_NOTE = "a scale may be that of a cause or of an effect: not sure"
# Values of many rows that are described one by one.
MANY_ATOMS = 2


def doubt_of(model: str, reverse: str) -> str:
    """Return why a direction by a model is not sure; empty if it may be."""
    both = model, reverse
    # No direction is simpler: rows selected by limits that move with either variable look so.
    plain = {each.removesuffix(Jumps.SUFFIX).removesuffix(Rescaled.SUFFIX) for each in both}
    flexible = {LocationScaleFreeNoise.NAME}
    if any(each.endswith(Jumps.SUFFIX) for each in both):
        flexible.add(PostNonlinearFreeNoise.NAME)
    if plain <= flexible:
        return FLEXIBLE_NOTE
    if LocationScaleLinked.NAME in model:
        return LINKED_NOTE
    # The link of the reverse direction has less freedom than the scale of a cause.
    is_free = model.startswith((AdditiveFreeNoise.NAME, LocationScale.NAME))
    link = PostNonlinear if is_free else PostNonlinearFreeNoise
    if Rescaled.SUFFIX in model and link.NAME in reverse:
        return SCALE_NOTE
    if any(each.count(TwoPart.SUFFIX) >= MANY_ATOMS for each in both):
        return ATOMS_NOTE
    return ""
