"""Every peer of the benchmarks computes the J and the gradient of GPPOMObjective."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from anmmm.gppom.objective import GPPOMObjective
from benchmarks.peers.protocol import Peer, constants_of, peers

N = 12
# Weights and floors that all differ, from each other and from the defaults: none can be mistaken.
CONSTANTS = {
    "lam": 1.7,
    "noise_floor": 0.03,
    "hsic_floor": 1e-3,
    "latent_prior": 0.6,
    "hyper_prior": 1.3,
}
LIBRARIES = {"JAX": "jax", "PyTorch": "torch"}
# The bound does the least work of an evaluation and evaluates nothing.
EVALUATING = [peer for peer in peers() if not peer.bound]


def objective_and_point(dx, D, q):
    rng = np.random.default_rng(7)
    X, Y = rng.normal(size=(N, dx)), rng.normal(size=(N, D))
    objective = GPPOMObjective(X, Y, fit_options={"n_latent": q, "engine": "dense", **CONSTANTS})
    z = 0.5 * rng.normal(size=objective.n_params)
    return objective, z


@pytest.mark.parametrize(("dx", "D", "q"), [(1, 1, 1), (1, 2, 2), (2, 1, 2), (2, 2, 1)])
@pytest.mark.parametrize("peer", EVALUATING, ids=lambda peer: peer.name)
def test_agrees_with_gppom_objective(peer, dx, D, q):
    for name, library in LIBRARIES.items():
        if peer.name.startswith(name):
            pytest.importorskip(library)
    if not peer.available():
        pytest.skip(peer.absent)
    objective, z = objective_and_point(dx, D, q)
    expected_value, expected = objective.value_and_grad(z)
    value, gradient = peer.build(objective.X, objective.Y, **constants_of(objective))(z)
    assert_allclose(value, expected_value, rtol=peer.value_rtol)
    assert_allclose(gradient, expected, rtol=0, atol=peer.gradient_rtol * np.abs(expected).max())


@pytest.mark.parametrize("peer", peers(), ids=lambda peer: peer.name)
def test_repeats_itself(peer):
    """Work arrays that are reused between calls must not show."""
    if not peer.available():
        pytest.skip(peer.absent)
    objective, z = objective_and_point(2, 1, 2)
    evaluate = peer.build(objective.X, objective.Y, **constants_of(objective))
    before = z.copy()
    value, gradient = evaluate(z)
    gradient = gradient.copy()
    evaluate(z + 0.1)
    again, gradient_again = evaluate(z)
    assert value == again
    np.testing.assert_array_equal(gradient, gradient_again)
    np.testing.assert_array_equal(z, before)


@pytest.mark.parametrize("wrong", ["value", "gradient", "nan"])
def test_check_sees_what_differs(wrong):
    expected = (2.0, np.array([1.0, -3.0]))
    found = {
        "value": (2.0 + 1e-7, expected[1]),
        "gradient": (2.0, expected[1] + [0.0, 1e-5]),
        "nan": (2.0, np.array([1.0, np.nan])),
    }[wrong]
    peer = Peer("x", lambda X, Y: None)
    assert peer.check(expected, expected) is None
    assert "relative error" in peer.check(found, expected)


def test_a_run_reports_every_peer(tmp_path):
    from benchmarks.peers.measure import run_all
    from benchmarks.peers.report import markdown, plot

    # Without the libraries that take seconds to import.
    some = [peer for peer in peers() if not peer.name.startswith(tuple(LIBRARIES))]
    missing = Peer("missing", lambda X, Y: None, available=lambda: False)
    slow = next(peer for peer in some if peer.exponent == 4)
    cells = run_all([*some, missing], [12, 24], seconds=0.01, limit=5.0)
    assert all(cells[24][peer.name].seconds for peer in some if peer.available())
    assert all(len(cells[12][p.name].ratios) >= 3 for p in some if p.available())
    text = markdown([*some, missing], cells, seconds=0.01, limit=5.0)
    assert text.count("| missing | not installed | not installed |") == 2
    assert text.count(f"| {slow.name} |") == 2

    pytest.importorskip("matplotlib")
    plot([*some, missing], cells, str(tmp_path / "plot.png"))
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")


def test_a_peer_that_would_take_too_long_is_left_out():
    from benchmarks.peers.measure import run_all

    some = [peer for peer in peers() if peer.bound or peer.name == "anmmm, dense"]
    # Nothing costs N to the power 60, so it is foreseen to exceed any limit at twice the size.
    steep = Peer("steep", some[1].build, exponent=60)
    cells = run_all([*some, steep], [12, 24], seconds=0.01, limit=5.0)
    assert cells[12]["steep"].seconds
    assert cells[24]["steep"].note.startswith("not run (about ")


@pytest.mark.parametrize(
    "arguments", [["--sizes", "1"], ["--seconds", "0"], ["--limit", "-1"], ["-o", "no/such/x.md"]]
)
def test_the_command_line_refuses(arguments, capsys):
    from benchmarks.peers.__main__ import parse

    with pytest.raises(SystemExit, match="2"):
        parse(arguments)
    assert "error: " in capsys.readouterr().err


def test_a_run_stops_where_a_peer_is_wrong():
    from benchmarks.peers.measure import DisagreementError, run_all

    def build(X, Y, **constants):
        return lambda z: (0.0, np.zeros(len(z)))

    honest = [peer for peer in peers() if peer.bound or peer.name == "anmmm, dense"]
    with pytest.raises(DisagreementError, match="liar at N = 12"):
        run_all([*honest, Peer("liar", build)], [12], seconds=0.01, limit=5.0)
