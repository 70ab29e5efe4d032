"""Tables and sentences that are made of stored results: what `benchmarks.numbers` puts on pages."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from benchmarks.stored import number, stored

Table = tuple[list[str], list[list[str]]]

FUNCTIONS = ("f1", "f2", "f3", "f4")
FIRST, SECOND = "seeds 0 to 99", "seeds 20000 to 20099"
MODELS = "one of [a list of models](../method/decisions.md)"
# Places of the numbers of each family: at 100 and twice at 300 observations, with the confidences.
AT_100, AT_300, AGAIN, CONFIDENCE, SURE, SURE_WRONG, CALLED = 2, 4, 5, 6, 7, 8, 9
KINDS = {
    "a curve, additive noise": ("AN", "AN-s"),
    "noise whose scale depends on the cause": ("LS", "LS-s"),
    "multiplicative noise": ("MN-U",),
    "a monotone function of all that (a sensor's scale)": (
        "PNL-arcsinh",
        "PNL-logistic",
        "PNL-cbrt",
    ),
    "yes or no": ("binary", "logistic"),
    "few ordered levels": ("ordered",),
    "groups: rounded numbers": ("grouped",),
    "counts": ("count",),
}


def mean(values: Sequence[float]) -> float:
    """Return the mean."""
    # As `sum` rounds one way before Python 3.12 and another since.
    return math.fsum(values) / len(values)


def share(p: float, n: int) -> str:
    """Return a share of n pairs with its standard error; all or none have no error to be seen."""
    error = math.sqrt(p * (1 - p) / n)
    return f"{p:.2f}" if error < 0.005 else f"{p:.2f} ± {error:.2f}"


def pooled(parts: Sequence[tuple[float, int]]) -> float:
    """Return the mean of shares by their numbers of data sets."""
    return math.fsum(p * n for p, n in parts) / sum(n for _, n in parts)


def overview() -> Table:
    """Return the table of the README: how often what is drawn or real is decided rightly."""
    directions, families = stored("mixture-directions"), stored("families").rows
    blocks = [directions.row(f"N = 100, {seeds}") for seeds in (FIRST, SECOND)]
    rows = []
    for title, columns in (("2 mechanisms (the paper's four)", FUNCTIONS), ("4", ("C = 4",))):
        found = [number(row[directions.head.index(name)]) for row in blocks for name in columns]
        title = title if len(columns) > 1 else "4 overlapping mechanisms"
        rows.append([title, "100", share(mean(found), 100 * len(found)), "", ""])
    for title, first in (
        ("1 mechanism, continuous effect", ("AN", "LS", "MN")),
        ("the same, seen on a monotone scale", ("PNL",)),
        ("binary, ordered, rounded or counted effect", ("bin", "log", "ord", "gro", "count")),
    ):
        cells = [row for row in families if row[0].startswith(first)]
        right = mean([number(row[at]) for row in cells for at in (AT_300, AGAIN)])
        shares = [mean([number(row[at]) for row in cells]) for at in (SURE, SURE_WRONG)]
        sure = [f"{p:.2f}" for p in shares]
        rows.append([title, "300", share(right, 200 * len(cells)), *sure])
    for title, name, place in (
        ("unrelated: called independent", "independent", 2),
        ("hidden common cause: called so", "common cause", 3),
    ):
        both = [stored("nothing").row(name, f"300, from {first}") for first in (0, 20000)]
        found, sure = (mean([number(row[at]) for row in both]) for at in (place, 5))
        rows.append([title, "300", share(found, 200), f"{sure:.2f}", f"{sure:.2f}"])
    right, error = tuebingen()
    decided, found = sure_decisions("Tübingen")
    shares = [f"{decided:.2f}", f"{decided * (1.0 - found):.2f}"]
    real = f"**{right:.2f} ± {error:.2f}**"
    rows.append(["**real pairs (Tübingen, 102)**", "≤ 1000", real, *shares])
    return ["pairs", "rows", "right", "sure", "sure and wrong"], rows


def quality() -> Table:
    """Return mechanisms and directions of the paper's mixtures beside the paper's own figures."""
    clusters, directions = stored("quality-clustering"), stored("mixture-directions")
    criteria = stored("quality-directions").rows
    hsic = [row for row in criteria if row[1] == "`hsic`"]

    def means(name: str) -> list[str]:
        return [f"{number(cell):.2f}" for cell in clusters.row(name)[1:]]

    right = [
        mean([number(directions.row(f"N = 100, {seeds}")[i]) for seeds in (FIRST, SECOND)])
        for i in range(1, 5)
    ]
    of_hsic = [pooled([(number(hsic[0][i]), 50), (number(hsic[1][i]), 100)]) for i in range(2, 6)]
    rows = [
        ["mechanisms: mean ARI", *means(FIRST)],
        ["the paper's own figures", *means("paper, Table 1")],
        [
            "a classifier that knows f and both θ",
            *means(f"classifier that knows f, θ and noise, {FIRST}"),
        ],
        ["direction: right decisions (200 data sets)", *map(shortest, right)],
        [
            'direction by the paper\'s criterion, `"hsic"` (150 data sets)',
            *(f"{p:.2f}" for p in of_hsic),
        ],
    ]
    return ["", *FUNCTIONS], rows


def shortest(p: float) -> str:
    """Return a share with the digits that it has, at least two."""
    text = f"{p:.3f}"
    return text[:-1] if text.endswith("0") else text


def kinds() -> Table:
    """Return how often each kind of pair is decided rightly, over the four kinds of causes."""
    families = stored("families")
    head = [
        "how the effect comes about",
        "right, N = 100",
        "right, N = 300",
        "worst of four causes",
    ]
    head += ["mean confidence", "sure", "sure and wrong", "called independent"]
    rows = []
    for kind, names in KINDS.items():
        cells = [row for row in families.rows if row[0] in names]
        at_300 = [mean([number(row[AT_300]), number(row[AGAIN])]) for row in cells]
        worst = min(range(len(cells)), key=at_300.__getitem__)
        rows.append(
            [
                kind,
                share(mean([number(row[AT_100]) for row in cells]), 100 * len(cells)),
                share(mean(at_300), 200 * len(cells)),
                f"{at_300[worst]:.2f} ({cells[worst][1]})",
                *(
                    f"{mean([number(row[place]) for row in cells]):.2f}"
                    for place in (CONFIDENCE, SURE, SURE_WRONG, CALLED)
                ),
            ]
        )
    return head, rows


def mixtures() -> Table:
    """Return directions and labels of mixtures, over both blocks of seeds."""
    directions, labels = stored("mixture-directions"), stored("mechanisms")
    head = ["mixture, N = 100", "right directions", "mean ARI of the labels", "best possible ARI"]
    rows = []
    for place, name in enumerate(directions.head[1:], start=1):
        p = mean([number(directions.row(f"N = 100, {seeds}")[place]) for seeds in (FIRST, SECOND)])
        found = labels.row(name if name in FUNCTIONS else f"f3, {name}")
        rows.append(
            [
                name if name in FUNCTIONS else f"f3, {name}",
                share(p, 200),
                f"{mean([number(found[2]), number(found[6])]):.2f}",
                f"{mean([number(found[1]), number(found[5])]):.2f}",
            ]
        )
    return head, rows


def nothing() -> Table:
    """Return what is said of pairs without a direction, N = 300, over both blocks of seeds."""
    result = stored("nothing")
    head = ["pairs without a direction", "called independent", "called common cause"]
    head += ["mean confidence", "sure", "check below 0.01"]
    rows = []
    for kind in ("independent", "linear Gaussian", "common cause"):
        both = [result.row(kind, f"300, from {first}") for first in (0, 20000)]
        called, common, confidence, sure, check = (
            mean([number(row[place]) for row in both]) for place in (2, 3, 4, 5, 7)
        )
        shares = [share(each, 200) for each in (called, common, sure, check)]
        rows.append([kind, *shares[:2], f"{confidence:.2f}", *shares[2:]])
    return head, rows


def published() -> Table:
    """Return the figures of other methods below ours at their protocols.

    Others decide every pair, so that ours are those by the score, with and without those pairs
    counted as wrong that are called a common cause.
    """
    ours, others = stored("protocols"), stored("published")
    head = ["method", "protocol", "Tübingen", "SIM", "assumes"]
    rows = []
    for title, place in (("by the score", 7), ("common cause: wrong", 4)):
        sim = ours.row("sim", "all", "all")[place + 1]
        for observations in ("all", "at most 1000"):
            for protocol in ("L99", "G99", "B102"):
                rows.append(
                    [
                        f"**anmmm, {title}, {observations} rows**",
                        protocol,
                        ours.row("tuebingen", observations, protocol)[place],
                        sim if observations == "all" else "",
                        "the same" if rows else MODELS,
                    ]
                )
    for row in sorted(others.rows, key=lambda row: -number(f"0{row[3]}")):
        method, source, protocol, tuebingen, pairs, *_, assumes = row
        rows.append([f"{method} ({source})", protocol, f"0{tuebingen}", f"0{pairs}", assumes])
    return head, rows


def times() -> Table:
    """Return the time of a pair and the share of right decisions of several methods, by N."""
    sizes = ("100", "300", "1000", "10000")
    tables = {size: stored(f"decisions-{size}") for size in sizes}
    names = [row[0] for row in tables["100"].rows][1:]
    head = ["method"]
    for size in sizes:
        head += [f"time, N = {size}", "right"]
    rows = []
    for name in names:
        row = [name]
        for size in sizes:
            cells = tables[size].row(name)
            row += [cells[2].partition(" (")[0] or cells[1], cells[3]]
        rows.append(row)
    return head, rows


# Methods that take seconds or minutes a graph, and ran on some cells and graphs only.
SLOW = ("RESIT", "RESIT-GP", "PC-KCI", "NOTEARS-MLP", "GraN-DAG")


def graph_distances() -> Table:
    """Return the structural Hamming distance of each method but the slow ones by cell."""
    return _distances([row for row in stored("graphs-study").rows if row[1] not in SLOW])


def graph_distances_slow() -> Table:
    """Return the distances of slow methods, and ours, in the cells where they ran."""
    rows = stored("graphs-study").rows
    titles = {row[0] for row in rows if row[1] in SLOW}
    return _distances([row for row in rows if row[0] in titles and row[1] in ("anmmm", *SLOW)])


def _distances(stored_rows: Sequence[list[str]]) -> Table:
    """Return the distance of each method by cell.

    The smallest is in bold, of the methods that ran on all graphs of the cell.
    """
    methods = list(dict.fromkeys(row[1] for row in stored_rows))
    rows = []
    for title in dict.fromkeys(row[0] for row in stored_rows):
        found = {row[1]: row for row in stored_rows if row[0] == title}
        n_graphs = found[methods[0]][2]
        least = min(number(row[3]) for row in found.values() if row[2] == n_graphs)
        cells = [title, n_graphs]
        for method in methods:
            _, _, n, distance, *_ = found.get(method, ["", "", n_graphs, ""])
            if distance and method != methods[0]:
                distance = f"{number(distance):.2f}"
            if n != n_graphs:
                distance = f"{distance} ({n})"
            elif distance and number(distance) == least:
                distance = f"**{distance}**"
            cells.append(distance)
        rows.append(cells)
    return ["cell", "graphs", *methods], rows


def graphs_found() -> Table:
    """Return what `infer_graph` finds by cell, without the distances."""
    result = stored("graphs-study")
    shown = ["cell", "F1", "SID", "sure, right", "true shorter", "CPU s"]
    places = [result.head.index(name) for name in shown]
    rows = [[row[place] for place in places] for row in result.rows if row[1] == "anmmm"]
    return shown, rows


# Confounded families by what is hidden.
HIDDEN = {
    "hidden groups": ("groups 2", "groups 3", "groups 4", "groups 5"),
    "smooth curves of a hidden number": ("smooth", "circle"),
    "straight lines of a hidden number": "linear",
    "a cause measured with noise": "measured",
    "smooth curves behind monotone functions": "seen through",
    "hidden groups, correlated within": "groups correlated",
    "a direct effect beside the hidden cause": "beside",
}

# Others by their kind.
NOT_HIDDEN = {"direct": "no hidden cause", "unforeseen": "no hidden cause, unforeseen kinds"}


def common_causes() -> Table:
    """Return how families with and without a hidden common cause are decided."""
    result = stored("common-causes")
    kinds: dict[str, list[list[str]]] = {name: [] for name in HIDDEN}
    kinds |= {name: [] for name in NOT_HIDDEN.values()}
    for row in result.rows:
        name = next((k for k, first in HIDDEN.items() if row[0].startswith(first)), "")
        kinds[NOT_HIDDEN.get(row[1], name)].append(row)
    rows = []
    for name, found in kinds.items():
        for n in dict.fromkeys(row[3] for row in found):
            of_size = [row for row in found if row[3] == n]
            shares = [mean([number(row[at]) for row in of_size]) for at in (5, 8, 10, 7, 9)]
            cells = [f"{p:.2f}" for p in shares]
            rows.append([name, str(len(of_size)), n, *cells])
    columns = ["called common cause", "sure and wrong, before", "sure and wrong"]
    return ["", "families", "N", *columns, "sure and right, before", "sure and right"], rows


# Halves of the study of each row of the table, by its title.
ROUNDS = {
    "first {}": ("chosen on", "reported"),
    "{} written later": ("later",),
    "{} that a review found wrong": ("reviewed",),
    "{} that a second review found wrong": ("second review",),
    "{} chosen by the cause, or skewed": ("chosen by the cause",),
    "{} written blind": ("blind",),
    "{} written blind later": ("blind again",),
    "{} written blind by a third author": ("blind, third",),
    "{} written blind by a fourth author": ("blind, fourth",),
    "{} written blind by a fifth author": ("blind, fifth",),
}
SIZES_UNFORESEEN = ("100", "300", "1000")
# Places of the numbers of a family that no model foresaw.
HALF, SIZE, RIGHT, SURE_RIGHT, WRONG, NOTED = 2, 3, 5, 6, 7, 9


def unforeseen_of(n: str, title: str | None = None) -> list[list[str]]:
    """Return rows of families that no model foresaw, of a number of observations."""
    rows = [row for row in stored("unforeseen").rows if row[SIZE] == n]
    return rows if title is None else [row for row in rows if row[HALF] in ROUNDS[title]]


def right_of_sure(rows: Sequence[Sequence[str]]) -> float:
    """Return the fraction of right decisions among the sure ones of families."""
    right, wrong = (math.fsum(number(row[at]) for row in rows) for at in (SURE_RIGHT, WRONG))
    return right / (right + wrong)


def unforeseen() -> Table:
    """Return how often a sure decision is right on families that no model foresaw."""
    head = ["families", "N", "sure and right", "sure and wrong", "of the sure, right"]
    head += ["families above 0.1 sure and wrong", "above 0.3", "with a note"]
    rows = []
    for title in ROUNDS:
        for n in SIZES_UNFORESEEN:
            found = unforeseen_of(n, title)
            pairs = [
                str(round(math.fsum(number(row[at]) * int(row[4]) for row in found)))
                for at in (SURE_RIGHT, WRONG)
            ]
            above = [str(sum(number(row[WRONG]) > limit for row in found)) for limit in (0.1, 0.3)]
            share, noted = right_of_sure(found), mean([number(row[NOTED]) for row in found])
            cells = [*pairs, f"**{share:.3f}**", *above, f"{noted:.2f}"]
            rows.append([title.format(len(found)), n, *cells])
    return head, rows


def unforeseen_families() -> Table:
    """Return what is decided of each family that no model foresaw."""
    head = ["family"]
    found = {}
    for n in SIZES_UNFORESEEN:
        found[n] = {row[0]: row for row in unforeseen_of(n)}
        head += [f"right, N = {n}", "sure and right", "sure and wrong"]
    rows = []
    for name, first in found["100"].items():
        title = name if first[1] == "direct" else f"{name} (neither)"
        cells = [
            f"{number(found[n][name][at]):.2f}" for n in found for at in (RIGHT, SURE_RIGHT, WRONG)
        ]
        rows.append([title, *cells])
    return head, rows


VIEWS: dict[str, Callable[[], Table]] = {
    "view-overview": overview,
    "view-quality": quality,
    "view-kinds": kinds,
    "view-mixtures": mixtures,
    "view-nothing": nothing,
    "view-published": published,
    "view-times": times,
    "view-graph-distances": graph_distances,
    "view-graph-distances-slow": graph_distances_slow,
    "view-graphs-found": graphs_found,
    "view-common-causes": common_causes,
    "view-unforeseen": unforeseen,
    "view-unforeseen-families": unforeseen_families,
}


# The stored results that each of them is made of.
SOURCES = {
    "view-overview": ["mixture-directions", "families", "nothing", "pairs", "abstention"],
    "view-quality": ["quality-clustering", "mixture-directions", "quality-directions"],
    "view-kinds": ["families"],
    "view-mixtures": ["mixture-directions", "mechanisms"],
    "view-nothing": ["nothing"],
    "view-published": ["protocols", "published"],
    "view-graph-distances": ["graphs-study"],
    "view-graph-distances-slow": ["graphs-study"],
    "view-graphs-found": ["graphs-study"],
    "view-common-causes": ["common-causes"],
    "view-unforeseen": ["unforeseen"],
    "view-unforeseen-families": ["unforeseen"],
    "view-times": [f"decisions-{n}" for n in (100, 300, 1000, 10000)],
}


def families_at_300() -> list[float]:
    """Return the share of right directions of each row of families, 200 pairs each."""
    return [mean([number(row[AT_300]), number(row[AGAIN])]) for row in stored("families").rows]


def sure_decisions(name: str) -> tuple[float, float]:
    """Return the share of pairs that are sure, and the share of these that are right."""
    result = stored("abstention")
    place = result.head.index("0.9")
    decided = next(i for i, row in enumerate(result.rows) if row[0].startswith(name))
    return number(result.rows[decided][place]), number(result.rows[decided + 1][place])


def labels() -> list[float]:
    """Return least and largest mean ARI of two mechanisms' labels, and of the best possible."""
    rows = [stored("mechanisms").row(name) for name in FUNCTIONS]
    found = [[mean([number(row[at]), number(row[at + 4])]) for row in rows] for at in (2, 1)]
    return [extreme(values) for values in found for extreme in (min, max)]


def tuebingen() -> tuple[float, float]:
    """Return the weighted accuracy of the univariate Tübingen pairs, and its error."""
    cell = stored("pairs").row("Tübingen, all 102 univariate pairs of 39 data sets")[1]
    value, _, error = cell.partition(" ± ")
    return float(value), float(error)


def several_columns() -> int:
    """Return how many Tübingen pairs of several columns are decided rightly by evidence or hsic."""
    return sum(number(row[4].lstrip("+")) > 0 for row in stored("columns-real").rows)


def recognized(n: str) -> list[float]:
    """Return the shares of pairs that are called a common cause, of the first kinds."""
    rows = [row for row in stored("common-causes").rows if row[1::2][:2] == ["confounded", n]]
    kinds = (HIDDEN[name] for name in list(HIDDEN)[:4])
    groups = [[number(row[5]) for row in rows if row[0].startswith(kind)] for kind in kinds]
    return [mean(group) for group in groups]


def confounded_wrong(n: str) -> tuple[float, float]:
    """Return the shares of sure and wrong directions of confounded pairs, with and without."""
    beside = HIDDEN["a direct effect beside the hidden cause"]
    rows = [
        row
        for row in stored("common-causes").rows
        if row[1] == "confounded" and row[3] == n and not row[0].startswith(beside)
    ]
    return mean([number(row[10]) for row in rows]), mean([number(row[8]) for row in rows])


def unforeseen_right() -> list[float]:
    """Return the least and the largest fraction of right sure decisions in `unforeseen`."""
    shares = [
        right_of_sure(unforeseen_of(n, title))
        for title in list(ROUNDS)[:2]
        for n in SIZES_UNFORESEEN
    ]
    return [min(shares), max(shares)]


NUMBERS = ["zero", "one", "two", "three", "four", "five", "six"]

# The page, a sentence with places for numbers, and what makes them.
CLAIMS: list[tuple[str, str, Callable[[], Sequence[object]]]] = [
    (
        "README.md",
        "mean adjusted Rand index {:.2f} to {:.2f}; the best possible is {:.2f} to {:.2f}",
        labels,
    ),
    (
        "README.md",
        "in {} of {} kinds of simulated pairs, 0.9 or more of all pairs are right",
        lambda: (sum(p >= 0.9 - 1e-9 for p in families_at_300()), len(families_at_300())),
    ),
    ("README.md", "{:.2f} of the sure ones", lambda: (sure_decisions("simulated")[1],)),
    (
        "README.md",
        "no better than a guess: {} of six Tübingen pairs are right",
        lambda: (NUMBERS[several_columns()],),
    ),
    (
        "docs/guide/faq.md",
        "Of the real Tübingen pairs {:.2f} ± {:.2f} (weighted) are right; of the sure "
        "decisions there, {:.2f} are",
        lambda: (*tuebingen(), sure_decisions("Tübingen")[1]),
    ),
    (
        "docs/guide/faq.md",
        "{:.2f} of such simulated pairs at N = 100 and {:.2f} at N = 300. It recognizes fewer "
        "smooth curves: {:.2f} and {:.2f}",
        lambda: [recognized(n)[kind] for kind in (0, 1) for n in ("100", "300")],
    ),
    (
        "docs/guide/fails.md",
        "among the sure ones in {:.2f}",
        lambda: (sure_decisions("Tübingen")[1],),
    ),
    (
        "docs/guide/fails.md",
        "{:.2f} to {:.2f} of the sure decisions were right",
        unforeseen_right,
    ),
    (
        "docs/guide/fails.md",
        "{:.2f}, {:.2f} and {:.2f} were (100, 300 and 1000 rows)",
        lambda: [right_of_sure(unforeseen_of(n, list(ROUNDS)[-1])) for n in SIZES_UNFORESEEN],
    ),
    (
        "docs/guide/fails.md",
        "Of simulated confounded pairs {:.2f} do",
        lambda: confounded_wrong("300")[:1],
    ),
    (
        "docs/guide/confounders.md",
        "hidden groups are recognized in {:.2f} of the pairs, smooth curves in {:.2f}, straight "
        "lines in {:.2f}, and a cause that is measured with noise in {:.2f}",
        lambda: recognized("300"),
    ),
    (
        "docs/guide/confounders.md",
        "{:.2f} of the pairs are sure and wrong, compared with {:.2f} without this hypothesis",
        lambda: confounded_wrong("300"),
    ),
]
