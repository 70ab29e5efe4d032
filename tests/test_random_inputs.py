"""Random values and mutated files: a finite result, or an error that names the argument."""

import decimal
import re
import tempfile
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from anmmm import (
    ANMMixture,
    cluster_mechanisms,
    hsic,
    hsic_test,
    infer_direction,
)
from anmmm.cli import cli

# A quarter of the examples of the profile: a fit takes some milliseconds.
FEWER = settings(max_examples=settings().max_examples // 4)
SHORT = {"fit_options": {"max_iter": 3}}
FUNCTIONS = {
    "infer_direction": lambda x, y: infer_direction(x, y).score,
    "infer_direction, hsic": lambda x, y: infer_direction(x, y, criterion="hsic", **SHORT).score,
    "infer_direction, drop": lambda x, y: infer_direction(x, y, missing="drop").score,
    "cluster_mechanisms": lambda x, y: cluster_mechanisms(x, y, 2, **SHORT).labels,
    "ANMMixture": lambda x, y: ANMMixture(max_iter=5).fit(x, y).probabilities_,
    "hsic": hsic,
    "hsic_test": lambda x, y: hsic_test(x, y).pvalue,
}
DISTRIBUTIONS = (
    lambda rng, n: rng.normal(size=n),
    lambda rng, n: rng.poisson(2.0, n).astype(float),
    lambda rng, n: rng.integers(0, 2, n).astype(float),
    lambda rng, n: np.exp(rng.normal(0.0, 8.0, n)),
    lambda rng, n: rng.standard_cauchy(n),
    lambda rng, n: np.repeat(rng.normal(), n),
    lambda rng, n: rng.choice([-1e300, 1e300, 0.0, 5e-324], n),
)
FORMS = (
    lambda values, rng: values,
    lambda values, rng: values * 10.0 ** float(rng.integers(-300, 300)),
    lambda values, rng: values + 10.0 ** float(rng.integers(0, 18)),
    lambda values, rng: np.where(
        rng.random(len(values)) < 0.1, rng.choice([np.nan, np.inf]), values
    ),
    lambda values, rng: values.tolist(),
    lambda values, rng: np.column_stack([values, rng.normal(size=len(values))]),
    lambda values, rng: values.astype(np.float16),
    lambda values, rng: np.clip(values, -1e9, 1e9).astype(np.int64),
    lambda values, rng: values.astype(complex),
    lambda values, rng: values.astype(str),
    lambda values, rng: values.astype(object),
    lambda values, rng: [decimal.Decimal(str(value)) for value in values],
    lambda values, rng: np.ma.masked_array(values, rng.random(len(values)) < 0.1),
    lambda values, rng: [None, *values[1:]],
    lambda values, rng: ["1", *values[1:]],
    lambda values, rng: np.broadcast_to(values[:1], len(values)),
    lambda values, rng: 2**53 + np.arange(len(values)),
    lambda values, rng: [10**30 + place for place in range(len(values))],
    lambda values, rng: values[: max(1, len(values) // 2)],
)


@st.composite
def strange_variables(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.sampled_from([1, 9, 10, 11, 30, 61]))
    pair = []
    for _ in range(2):
        values = draw(st.sampled_from(DISTRIBUTIONS))(rng, n)
        with np.errstate(all="ignore"):
            pair.append(draw(st.sampled_from(FORMS))(values, rng))
    return pair


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FUNCTIONS)
@FEWER
@given(pair=strange_variables())
def test_strange_variables_have_a_finite_result_or_are_refused_by_name(name, pair):
    result = None
    message = None
    with np.errstate(all="ignore"):
        try:
            result = FUNCTIONS[name](*pair)
        except (TypeError, ValueError) as error:
            message = str(error)
    if message is None:
        assert np.isfinite(np.asarray(result, dtype=float)).all()
    else:
        assert re.search(r"\b[xXyY]\b", message), message


FRAGMENTS = [
    *(b"NA", b"#DIV/0!", b"nan", b"inf", b"1e999", b"1,234", b"-", b"'", b'"', b",,", b";"),
    *(b"\t", b"\r", b"\n", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\x1b[31m", b"\x07", b"=1+1"),
    *(b"0x10", b"1_000", b"True", "²".encode(), "１".encode(), b"# ", b"x", b"A,B"),
]
CONTROL_CHARACTERS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


@st.composite
def mutated_tables(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    separator = draw(st.sampled_from(",; \t"))
    lines = [draw(st.sampled_from(["a,b", "# comment", "1.5,2"])).replace(",", separator)]
    for row in np.round(rng.normal(size=(draw(st.integers(10, 40)), 2)), 3):
        lines.append(separator.join(map(str, row)))
    data = bytearray("\n".join(lines).encode())
    for fragment in draw(st.lists(st.sampled_from(FRAGMENTS), max_size=3)):
        start = draw(st.integers(0, len(data)))
        data[start : start + draw(st.integers(0, 8))] = fragment
    return bytes(data[: draw(st.integers(0, len(data)))] if draw(st.booleans()) else data)


@pytest.mark.filterwarnings("ignore")
@FEWER
@given(data=mutated_tables())
def test_a_mutated_file_is_read_or_refused(data):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "pair.csv")
        path.write_bytes(data)
        result = CliRunner().invoke(cli, ["direction", str(path)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code in (0, 1, 2)
    assert not CONTROL_CHARACTERS.search(result.output)
    assert result.exit_code == 0 or result.stderr.strip()
