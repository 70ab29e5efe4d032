"""Tables and sentences of pages, made of stored results: what `benchmarks.numbers` writes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd

from benchmarks.families.mechanisms import TOPIC_OF, TOPICS
from benchmarks.paper.published import FUNCTIONS, TABLE1_COLUMNS
from benchmarks.stored import numbers, share, stored

View = Callable[[], pd.DataFrame]
MODELS = "one of [a list of models](../method/decisions.md)"
# Beginnings of the names of families.
KINDS = {
    "a curve, additive noise": ("direct/AN",),
    "noise whose scale depends on the cause": ("direct/LS",),
    "multiplicative noise": ("direct/MN-U",),
    "a monotone function of all that (a sensor's scale)": ("direct/PNL",),
    "yes or no": ("discrete/binary", "discrete/logistic"),
    "few ordered levels": ("discrete/ordered",),
    "groups: rounded numbers": ("discrete/grouped",),
    "counts": ("discrete/count",),
}
HIDDEN_GROUPS = tuple(f"confounded/groups {count}" for count in (2, 3, 4, 5))
SMOOTH = ("confounded/smooth", "confounded/circle")
LINEAR = "confounded/linear"
MEASURED = "confounded/measured"
BEHIND_MONOTONE = "confounded/seen through"
BESIDE = "confounded/beside"
CAUSES = {
    "hidden groups": HIDDEN_GROUPS,
    "smooth curves of a hidden number": SMOOTH,
    "straight lines of a hidden number": LINEAR,
    "a cause measured with noise": MEASURED,
    "smooth curves behind monotone functions": BEHIND_MONOTONE,
    "hidden groups, correlated within": "confounded/groups correlated",
    "a direct effect beside the hidden cause": BESIDE,
    "no hidden cause": "unconfounded/",
    "no hidden cause, unforeseen kinds": "designed/",
}
# Methods of the tables of mechanisms, and whether they are given the number.
MECHANISM_METHODS = {
    ("anmmm", "given"): "**anmmm**, number given",
    ("flexmix", "given"): "flexmix",
    ("gaussian", "given"): "Gaussian mixture",
    ("anmmm", "auto"): "**anmmm**, `auto`",
    ("flexmix", "auto"): "flexmix, BIC",
    ("gaussian", "auto"): "Gaussian mixture, BIC",
    ("hdbscan", "auto"): "HDBSCAN",
}
ONE_MECHANISM = "one mechanism"


# Tables by their name in the pages, and the stored results that each of them is made of.
VIEWS: dict[str, View] = {}
SOURCES: dict[str, tuple[str, ...]] = {}


def view(*sources: str) -> Callable[[View], View]:
    """Register a function as a table of the pages, made of these stored results."""

    def add(function: View) -> View:
        name = f"view-{function.__name__.replace('_', '-')}"
        VIEWS[name] = function
        SOURCES[name] = sources
        return function

    return add


def family_rows(name: str, n: int, beginnings: str | tuple[str, ...] = "") -> pd.DataFrame:
    """Return the rows of a stored table of n rows a pair whose families begin so."""
    table = numbers(name)
    selected = table[table["family"].str.startswith(beginnings) & (table["n"] == n)].copy()
    if "sure_right" in selected:
        selected["sure"] = selected["sure_right"] + selected["sure_wrong"]
    return selected


def mixture_rows(settings: Sequence[str]) -> pd.DataFrame:
    """Return the directions of mixtures of the paper."""
    selected = family_rows("mixture-directions", 100)
    return selected[selected["family"].isin([f"mixtures/{setting}" for setting in settings])]


def undirected_rows(name: str) -> pd.DataFrame:
    """Return the row of a kind of pairs without a direction."""
    selected = family_rows("nothing", 300)
    return selected[selected["family"] == f"nothing/{name}"]


def mean_share(rows: pd.DataFrame, column: str) -> str:
    """Return a mean share of pairs, with its error."""
    return share(rows[column].mean(), rows["pairs"].sum())


def two_digits(rows: pd.DataFrame, *columns: str) -> list[str]:
    """Return the means of columns with two digits."""
    return [f"{rows[column].mean():.2f}" for column in columns]


def sure_decisions(name: str) -> tuple[float, float]:
    """Return the share of pairs that are sure, and the share of these that are right."""
    table = stored("abstention").table
    place = int(table["confidence at least"].str.startswith(name).argmax())
    return float(table["0.9"][place]), float(table["0.9"][place + 1])


@view("prior-quality", "pairs", "abstention", "mixture-directions", "families", "nothing")
def overview() -> pd.DataFrame:
    """Return the table of the README: how often what is real or drawn is decided rightly."""
    lines = []
    quality_of = numbers("prior-quality").set_index("kind")
    for title, kind in (
        ("**real pairs of many values**", "many values"),
        ("**real pairs, one variable of few values**", "few values"),
    ):
        row = quality_of.loc[kind]
        wrong = row["sure"] * (1.0 - row["sure right"])
        right = share(row["right"], row["pairs"])
        lines.append([title, "≤ 1000", f"**{right}**", f"{row['sure']:.2f}", f"{wrong:.2f}"])
    pairs = stored("pairs").table
    accuracy = pairs[pairs[""].str.startswith("Tübingen, all")]["weighted"].iloc[0]
    mean, _, error = accuracy.partition(" ± ")
    sure, sure_right = sure_decisions("Tübingen")
    cells = [f"**{float(mean):.2f} ± {float(error):.2f}**", f"{sure:.2f}"]
    wrong = sure * (1.0 - sure_right)
    lines.append(["**real pairs of Tübingen (102)**", "≤ 1000", *cells, f"{wrong:.2f}"])
    for title, settings in (
        ("2 mechanisms (the paper's four)", FUNCTIONS),
        ("4 overlapping mechanisms", ("f3-c4",)),
    ):
        lines.append([title, "100", mean_share(mixture_rows(settings), "right_by_sign"), "", ""])
    for title, beginnings in (
        ("1 mechanism, continuous effect", ("direct/AN", "direct/LS", "direct/MN")),
        ("the same, seen on a monotone scale", "direct/PNL"),
        ("binary, ordered, rounded or counted effect", "discrete/"),
    ):
        rows = family_rows("families", 300, beginnings)
        cells = two_digits(rows, "sure", "sure_wrong")
        lines.append([title, "300", mean_share(rows, "right"), *cells])
    for title, name, answer in (
        ("unrelated: called independent", "independent", "called_independent"),
        ("hidden common cause: called so", "common cause", "called_common_cause"),
    ):
        rows = undirected_rows(name)
        cells = two_digits(rows, "sure", "sure")
        lines.append([title, "300", mean_share(rows, answer), *cells])
    return pd.DataFrame(lines, columns=["pairs", "rows", "right", "sure", "sure and wrong"])


@view("families")
def kinds() -> pd.DataFrame:
    """Return how often each kind of pair is decided rightly, over the four kinds of causes."""
    lines = []
    for title, beginnings in KINDS.items():
        few_rows = family_rows("families", 100, beginnings)
        rows = family_rows("families", 300, beginnings)
        worst = rows.loc[rows["right"].idxmin()]
        cause = worst["family"].rpartition(", ")[2]
        lines.append(
            {
                "how the effect comes about": title,
                "right, N = 100": mean_share(few_rows, "right"),
                "right, N = 300": mean_share(rows, "right"),
                "worst of four causes": f"{worst['right']:.2f} ({cause})",
                "mean confidence": f"{rows['confidence'].mean():.2f}",
                "sure": f"{rows['sure'].mean():.2f}",
                "sure and wrong": f"{rows['sure_wrong'].mean():.2f}",
                "called independent": f"{rows['called_independent'].mean():.2f}",
            }
        )
    return pd.DataFrame(lines)


def ari(setting: str, method: str) -> float:
    """Return a mean adjusted Rand index."""
    return float(numbers("clusters").set_index(["setting", "method"])["ari"][setting, method])


@view("mixture-directions", "clusters")
def mixtures() -> pd.DataFrame:
    """Return directions and labels of mixtures."""
    lines = []
    for setting in TABLE1_COLUMNS:
        title = setting
        for option, symbol in (("-c", "C"), ("-sigma", "σ"), ("-a", "a₁")):
            title = title.replace(option, f", {symbol} = ")
        lines.append(
            {
                "mixture, N = 100": title,
                "right directions": mean_share(mixture_rows([setting]), "right_by_sign"),
                "mean ARI of the labels": f"{ari(setting, 'anmmm'):.2f}",
                "best possible ARI": f"{ari(setting, 'bayes'):.2f}",
            }
        )
    return pd.DataFrame(lines)


def mechanism_cells(table: pd.DataFrame, column: str, number: str = "") -> list[str]:
    """Return the means of a column by method that ran on all settings.

    number: "given" or "auto", only of these methods.
    """
    cells = []
    n_settings = table["setting"].nunique()
    for method, given in MECHANISM_METHODS:
        is_chosen = (table["method"] == method) & (table["number"] == given)
        has_cell = is_chosen.sum() == n_settings and number in ("", given)
        # Without the sign of a negative zero.
        mean = round(table.loc[is_chosen, column].mean(), 2) + 0.0
        cells.append(f"{mean:.2f}" if has_cell else "")
    return cells


@view("mechanisms")
def mechanisms() -> pd.DataFrame:
    """Return the mean ARI of methods by topic, and how often the number is right."""
    table = numbers("mechanisms")
    table["topic"] = table["setting"].map(TOPIC_OF)
    lines = []
    for topic, families in TOPICS.items():
        selected = table[table["topic"] == topic]
        number = "auto" if topic == ONE_MECHANISM else ""
        best = selected.loc[selected["method"] == "bayes", "ari"].mean()
        cells = mechanism_cells(selected, "ari", number)
        lines.append([topic, len(families), f"{best:.2f}", *cells])
    several = table[table["topic"] != ONE_MECHANISM]
    single = table[table["topic"] == ONE_MECHANISM]
    n_several = several["setting"].nunique()
    best = f"{several.loc[several['method'] == 'bayes', 'ari'].mean():.2f}"
    lines.append(["**all of several**", n_several, best, *mechanism_cells(several, "ari")])
    right = mechanism_cells(several, "right", "auto")
    lines.append(["right number of several", n_several, "", *right])
    called_one = mechanism_cells(single, "right", "auto")
    lines.append(["one mechanism called one", single["setting"].nunique(), "", *called_one])
    lines.append(["CPU s a data set", "", "", *mechanism_cells(table, "seconds")])
    heads = ["topic", "families", "best possible", *MECHANISM_METHODS.values()]
    return pd.DataFrame(lines, columns=heads)


@view("mechanisms-real")
def mechanisms_real() -> pd.DataFrame:
    """Return the ARI of methods on real pairs with known groups; of one group the number found."""
    table = numbers("mechanisms-real")
    lines = []
    for setting, selected in table.groupby("setting", sort=False):
        groups = int(selected["mechanisms"].iloc[0])
        column = "found" if groups == 1 else "ari"
        cells = mechanism_cells(selected, column, "auto" if groups == 1 else "")
        if groups == 1:
            cells = [f"{float(cell):.0f} found" if cell else "" for cell in cells]
        lines.append([str(setting).removeprefix("real/"), groups, *cells])
    return pd.DataFrame(lines, columns=["pair", "groups", *MECHANISM_METHODS.values()])


@view("nothing")
def nothing() -> pd.DataFrame:
    """Return what is decided of pairs without a direction, N = 300."""
    lines = []
    for name in ("independent", "linear Gaussian", "common cause"):
        rows = undirected_rows(name)
        lines.append(
            {
                "pairs without a direction": name,
                "called independent": mean_share(rows, "called_independent"),
                "called common cause": mean_share(rows, "called_common_cause"),
                "mean confidence": f"{rows['confidence'].mean():.2f}",
                "sure": mean_share(rows, "sure"),
                "check below 0.01": mean_share(rows, "misfit"),
            }
        )
    return pd.DataFrame(lines)


@view("common-causes")
def common_causes() -> pd.DataFrame:
    """Return how families with and without a hidden common cause are decided."""
    shown = {
        "called_common_cause": "called common cause",
        "sure_wrong_before": "sure and wrong, before",
        "sure_wrong": "sure and wrong",
        "sure_right_before": "sure and right, before",
        "sure_right": "sure and right",
    }
    lines = []
    for title, beginnings in CAUSES.items():
        for n in (100, 300, 1000):
            rows = family_rows("common-causes", n, beginnings)
            lines.append([title, len(rows), n, *two_digits(rows, *shown)])
    return pd.DataFrame(lines, columns=["", "families", "N", *shown.values()])


@view("protocols", "published")
def published() -> pd.DataFrame:
    """Return the figures of other methods below ours at their protocols.

    Others decide every pair, so that ours are those by the log-odds, with and without those pairs
    counted as wrong that are called a common cause.
    """
    ours = stored("protocols").table.set_index(["collection", "observations", "protocol"])
    lines = []
    for title, prefix in (("by the log-odds", "sign_"), ("common cause: wrong", "")):
        sim = ours.loc[("sim", "all", "all"), f"{prefix}plain"]
        for observations in ("all", "at most 1000"):
            for protocol in ("L99", "G99", "B102"):
                accuracy = ours.loc[("tuebingen", observations, protocol), f"{prefix}weighted"]
                assumes = "the same" if lines else MODELS
                method = f"**anmmm, {title}, {observations} rows**"
                shown = sim if observations == "all" else ""
                lines.append([method, protocol, accuracy, shown, assumes])
    others = stored("published").table.sort_values(
        "Tübingen", key=lambda column: -column.astype(float), kind="stable"
    )
    for row in others.to_dict("records"):
        method = f"{row['method']} ({row['source']})"
        cells = [f"0{row['Tübingen']}", f"0{row['SIM']}"]
        lines.append([method, row["protocol"], *cells, row["assumes"]])
    return pd.DataFrame(lines, columns=["method", "protocol", "Tübingen", "SIM", "assumes"])


@view("real")
def real() -> pd.DataFrame:
    """Return how several methods decide real pairs, of many values and of few."""
    table = stored("real").table
    shown = ["right", "area", "sure", "sure, right"]
    return table[["method", *shown, *(f"few values: {name}" for name in shown)]]


@view("real")
def tuebingen_and_sim() -> pd.DataFrame:
    """Return how several methods decide the pairs of Tübingen and SIM, and their time."""
    table = stored("real").table
    shown = [f"{name}: {figure}" for name in ("Tübingen", "SIM") for figure in ("right", "area")]
    return table[["method", *shown, "CPU s"]]


@view("graphs-study")
def graph_distances() -> pd.DataFrame:
    """Return the structural Hamming distance of each method by cell.

    The smallest is in bold, of the methods that ran on all graphs of the cell.
    """
    table = stored("graphs-study").table
    methods = list(dict.fromkeys(table["method"]))
    lines = []
    for cell, selected in table.groupby("cell", sort=False):
        rows = selected.set_index("method")
        n_graphs = rows.loc[methods[0], "graphs"]
        distances = rows["SHD"].str.partition(" ± ")[0].astype(float)
        smallest = distances[rows["graphs"] == n_graphs].min()
        cells = {"cell": cell, "graphs": n_graphs}
        for method, row in rows.iterrows():
            text = row["SHD"] if method == methods[0] else f"{distances[method]:.2f}"
            if row["graphs"] != n_graphs:
                text = f"{text} ({row['graphs']})"
            elif distances[method] == smallest:
                text = f"**{text}**"
            cells[method] = text
        lines.append(cells)
    return pd.DataFrame(lines, columns=["cell", "graphs", *methods]).fillna("")


@view("graphs-study")
def graphs_found() -> pd.DataFrame:
    """Return what `infer_graph` finds by cell, without the distances."""
    table = stored("graphs-study").table
    shown = ["cell", "F1", "SID", "sure, right", "true shorter", "CPU s"]
    return table[table["method"] == "anmmm"][shown]


@view("graphs-real")
def real_tables() -> pd.DataFrame:
    """Return how edges of real tables go with the known order of their columns, by method."""
    table = numbers("graphs-real")
    arrows = table["with"] + table["against"]
    sure = table["sure with"] + table["sure against"]
    # Methods without a confidence have no sure arrows.
    has_confidence = sure < arrows
    right_of_sure = (table["sure with"] / sure).map("{:.2f}".format)
    return pd.DataFrame(
        {
            "method": table["method"],
            "arrows": arrows,
            "with the order": (table["with"] / arrows).map("{:.2f}".format),
            "undirected": table["open"],
            "sure arrows": sure.astype(str).where(has_confidence, ""),
            "of these, with the order": right_of_sure.where(has_confidence, ""),
            "CPU s a table": stored("graphs-real").table["CPU s"],
        }
    )


def label_range() -> list[float]:
    """Return least and largest mean ARI of two mechanisms' labels, and of the best possible."""
    ours = [ari(name, "anmmm") for name in FUNCTIONS]
    best = [ari(name, "bayes") for name in FUNCTIONS]
    return [min(ours), max(ours), min(best), max(best)]


def right_families() -> tuple[int, int]:
    """Return in how many families 0.9 or more are right, and the number of families."""
    right = family_rows("families", 300)["right"]
    return int((right >= 0.9 - 1e-9).sum()), len(right)


def several_columns() -> list[str]:
    """Return how many Tübingen pairs of several columns are decided rightly, as a word."""
    count = int((numbers("columns-real")["score"] > 0).sum())
    return [("zero", "one", "two", "three", "four", "five", "six")[count]]


def sure_arrows() -> list[int]:
    """Return the numbers of real tables, of sure arrows with the known order, and of sure ones."""
    row = stored("graphs-real").table.iloc[0]
    n_right = int(row["sure with"])
    return [int(row["tables"]), n_right, n_right + int(row["sure against"])]


def unforeseen_range() -> list[float]:
    """Return the least and the largest fraction of right sure decisions in the designed ones."""
    shares = []
    for part in ("designed/first", "designed/later"):
        for n in (100, 300, 1000):
            rows = family_rows("unforeseen", n, part)
            shares.append(rows["sure_right"].sum() / rows["sure"].sum())
    return [min(shares), max(shares)]


def cause_mean(n: int, beginnings: str | tuple[str, ...], column: str) -> float:
    """Return the mean of a column of kinds of hidden causes."""
    return float(family_rows("common-causes", n, beginnings)[column].mean())


def confounded_wrong() -> list[float]:
    """Return the shares of sure and wrong directions of confounded pairs, with and without."""
    rows = family_rows("common-causes", 300, "confounded/")
    rows = rows[~rows["family"].str.startswith(BESIDE)]
    return [rows["sure_wrong"].mean(), rows["sure_wrong_before"].mean()]


def right_of_confidence(confidences: str) -> float:
    """Return the fraction of right directions of real pairs, by confidence."""
    return float(numbers("prior-reliability").set_index("confidence").loc[confidences, "right"])


# The page, a sentence with places for numbers, and what makes them.
CLAIMS: list[tuple[str, str, Callable[[], Sequence[object]]]] = [
    (
        "README.md",
        "mean adjusted Rand index {:.2f} to {:.2f}; the best possible is {:.2f} to {:.2f}",
        label_range,
    ),
    (
        "README.md",
        "in {} of {} kinds of simulated pairs, 0.9 or more of all pairs are right",
        right_families,
    ),
    ("README.md", "{:.2f} of the sure ones", lambda: [sure_decisions("simulated")[1]]),
    (
        "README.md",
        "no better than a guess: {} of six Tübingen pairs are right",
        several_columns,
    ),
    (
        "README.md",
        "In {} real tables, {} of {} sure arrows of a graph go with the known order",
        sure_arrows,
    ),
    (
        "docs/guide/fails.md",
        "among the sure ones of the Tübingen pairs in {:.2f}",
        lambda: [sure_decisions("Tübingen")[1]],
    ),
    ("docs/guide/fails.md", "{:.2f} to {:.2f} of the sure decisions were right", unforeseen_range),
    ("docs/guide/fails.md", "Of simulated confounded pairs {:.2f} do", confounded_wrong),
    (
        "docs/guide/fails.md",
        "such as the scale of an instrument: {:.2f} of the pairs at 1000 rows",
        lambda: [cause_mean(1000, BEHIND_MONOTONE, "sure_wrong")],
    ),
    (
        "docs/guide/outcomes.md",
        "with a confidence of 0.95 to 0.99, {:.2f} were right",
        lambda: [right_of_confidence("0.95 to 0.99")],
    ),
    (
        "docs/guide/outcomes.md",
        "hidden groups are recognized in {:.2f} of the pairs, smooth curves in {:.2f}, straight "
        "lines in {:.2f}, and a cause that is measured with noise in {:.2f}",
        lambda: [
            cause_mean(300, kind, "called_common_cause")
            for kind in (HIDDEN_GROUPS, SMOOTH, LINEAR, MEASURED)
        ],
    ),
    (
        "docs/guide/outcomes.md",
        "{:.2f} of the pairs are sure and wrong, compared with {:.2f} without this hypothesis",
        confounded_wrong,
    ),
]
