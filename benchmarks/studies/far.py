"""Values far from all others: ``python -m benchmarks.studies.far``.

Codes that stand for missing values, of one observation, 2 % and 10 %, in the cause, the effect, in
both at places of their own, and in the same observations of both: 12 ways, of each the same number
of pairs. Beside what is said, what would be said if all observations were taken as they are. Seeds
from 7000 on and 10 000 to 10 039 were looked at before; 20 000 and on are for reporting.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from anmmm import infer_direction
from anmmm.confidence import confidence_of
from anmmm.datasets import make_anm_mixture
from anmmm.direction import SURE
from benchmarks.studies.common import mean_and_error, print_header, print_row

RELATIONS = ("sigmoid", "cubic", "mixture", "linear Gaussian", "unrelated")
CODES = (-9.0, -999.0, -9999.0, 1e9)
PLACES = ("cause", "effect", "both", "same")
SHARES = (0.0, 0.02, 0.1)


def draw(relation: str, n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw a pair without any code."""
    if relation == "mixture":
        return make_anm_mixture(f"f{1 + seed % 4}", n, random_state=seed)[:2]
    rng = np.random.default_rng(seed)
    x, noise = rng.normal(size=(2, n))
    effects = {
        "sigmoid": np.tanh(2.0 * x) + 0.2 * noise,
        "cubic": x**3 / 3.0 + x + 0.7 * noise,
        "linear Gaussian": x + 0.5 * noise,
        "unrelated": noise,
    }
    return x, effects[relation]


def coded(relation: str, code: float, n: int, seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield a pair with a code in every place and share; a share of 0 is one observation."""
    for place in PLACES:
        for share in SHARES:
            x, y = (np.array(values) for values in draw(relation, n, seed))
            rng, count = np.random.default_rng([seed, 5]), max(1, round(share * n))
            first, second = rng.permutation(n)[:count], rng.permutation(n)[:count]
            if place != "effect":
                x[first] = code
            if place != "cause":
                y[first if place == "same" else second] = code
            yield x, y


def far(seeds: list[int], n: int) -> None:
    """Print a line a relation and a code."""
    print(f"\nN = {n}, {len(PLACES) * len(SHARES) * len(seeds)} pairs a row from seed {seeds[0]}\n")
    print_header(
        "relation", "code", "as they are: sure and right", "sure and wrong", "said: sure and right",
        "sure and wrong",
    )  # fmt: skip
    for relation in RELATIONS:
        for code in CODES:
            outcomes: list[list[float]] = [[], [], [], []]
            for seed in seeds:
                for x, y in coded(relation, code, n, seed):
                    result = infer_direction(x, y)
                    assert result.evidence is not None
                    assert result.confidence is not None
                    right = result.score > 0.0 and relation not in RELATIONS[-2:]
                    for at, confidence in enumerate(
                        (confidence_of(result.evidence), result.confidence)
                    ):
                        outcomes[2 * at].append(confidence >= SURE and right)
                        outcomes[2 * at + 1].append(confidence >= SURE and not right)
            print_row(relation, f"{code:g}", *map(mean_and_error, outcomes))


def main() -> None:
    """Run the study."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--first-seed", type=int, default=20_000)
    parser.add_argument("--count", type=int, default=20)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    seeds = list(range(arguments.first_seed, arguments.first_seed + arguments.count))
    far(seeds, arguments.samples)


if __name__ == "__main__":
    main()
