"""`anmmm` itself: `GPPOMObjective` with each of its engines."""

from __future__ import annotations

from functools import partial
from typing import Any

from anmmm.gppom.engines import ENGINES
from anmmm.gppom.objective import GPPOMObjective
from benchmarks.peers.protocol import Evaluate, FloatArray, Peer

__all__ = ["DENSE", "PEERS", "build"]


def build(X: FloatArray, Y: FloatArray, *, engine: str, **constants: Any) -> Evaluate:
    """Value and gradient as the optimizer of `anmmm` calls them, serial."""
    return GPPOMObjective(X, Y, fit_options={"engine": engine, **constants}).value_and_grad


def _has_lowrank() -> bool:
    return "lowrank" in ENGINES


DENSE = Peer("anmmm, dense", partial(build, engine="dense"))
PEERS = (
    DENSE,
    # It truncates the kernel on purpose, so it must reach what it promises at its default `tol`.
    Peer(
        "anmmm, low rank",
        partial(build, engine="lowrank"),
        exponent=1,
        available=_has_lowrank,
        absent="not in this version",
        value_rtol=1e-8,
        gradient_rtol=1e-6,
    ),
)
