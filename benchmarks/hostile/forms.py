"""The same data by other ways in: the same result, or a refusal; never another result."""

import networkx
import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from anmmm import infer_direction, infer_directions, orient
from anmmm.collection import as_pairs

REFUSED = TypeError, ValueError


def cases(rng, count, folder):
    makers = pair, table, graph, order
    for number in range(count):
        maker = makers[number % len(makers)]
        what, problem = maker(rng, folder)
        yield f"case {number}: {maker.__name__}, {what}", problem


def same(found, wanted):
    try:
        there = found()
    except REFUSED:
        return None
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None if there == wanted else f"{there} in place of {wanted}"


def category(rng, n):
    """Codes, names of a random type and whether they have an order."""
    k = int(rng.integers(3, 7))
    codes = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    names = (
        lambda: rng.permutation(50)[:k].tolist(),
        lambda: (rng.permutation(50)[:k] / 4).tolist(),
        lambda: [f"n{each}" for each in rng.permutation(50)[:k]],
        lambda: [str(each) for each in rng.permutation(50)[:k]],
    )[int(rng.integers(4))]()
    return codes, names, bool(rng.random() < 0.5)


def columns_of(rng, codes, names, ordered):
    arrow = pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(names), ordered=ordered)
    at = int(rng.integers(1, len(codes)))
    return {
        "pandas": pd.Series(pd.Categorical.from_codes(codes, names, ordered=ordered)),
        "arrow": arrow,
        "arrow chunks": pa.chunked_array([arrow[:at], arrow[at:]]),
        "pandas of arrow": pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([arrow]))),
    }


def pair(rng, folder):
    codes, names, ordered = category(rng, 40)
    y = rng.normal(size=40) + codes % 3
    plain = codes.astype(float) if ordered else np.array(names, dtype=object)[codes].astype(str)
    wanted = infer_direction(plain, y).score
    kinds = columns_of(rng, codes, names, ordered)
    kind = str(rng.choice(list(kinds)))
    values = kinds[kind]
    if "pandas" in kind and rng.random() < 0.5:
        kind, values = f"frame of {kind}", values.to_frame()
    what = f"{kind} of {names}, ordered {ordered}"
    return what, same(lambda: infer_direction(values, y).score, wanted)


def table(rng, folder):
    codes, names, ordered = category(rng, 40)
    # Parquet keeps no other order.
    names = names if isinstance(names[0], str) or not ordered else sorted(names)
    y = rng.normal(size=40) + codes % 3
    kinds = columns_of(rng, codes, names, ordered)
    kind = str(rng.choice(list(kinds)))
    frame = {"v": kinds[kind], "y": y}
    given = pd.DataFrame(frame) if "pandas" in kind else pa.table(frame)
    if rng.random() < 0.5:
        file = folder / "t.parquet"
        given.to_parquet(file) if "pandas" in kind else parquet.write_table(given, file)
        kind, given = f"Parquet of {kind}", file
    plain = codes.astype(float) if ordered else np.array(names, dtype=object)[codes].astype(str)
    (wanted,) = infer_directions({"p": (plain, y)}, n_jobs=1)

    def found():
        (row,) = infer_directions(as_pairs(given, columns="all"), n_jobs=1)
        return row.score

    return f"{kind} of {names}, ordered {ordered}", same(found, wanted.score)


def graph(rng, folder):
    """Nodes are names of their own type, else places; a graph of fewer edges is no other one."""
    n = 60
    a = rng.normal(size=n)
    b = np.tanh(2 * a) + 0.2 * rng.normal(size=n)
    values = np.column_stack([a, b, b**2 + 0.2 * rng.normal(size=n)])
    names = [
        ["a", "b", "c"],
        ["1", "2", "0"],
        [2, 0, 1],
        [0, 1, 2],
        [0.5, 1.0, 2.0],
    ][int(rng.integers(5))]
    frame = pd.DataFrame(values, columns=names)
    data = frame if rng.random() < 0.7 else values
    known = names if data is frame else [0, 1, 2]
    nodes = [
        [0, 1, 2],
        ["0", "1", "2"],
        ["a", "b", "c"],
        [False, True, 2],
        [0.0, 1.0, 2.0],
        [1, 2, 3],
        ["x1", "x2", "x3"],
    ][int(rng.integers(7))]
    u, v = (nodes[at] for at in rng.choice(3, 2, replace=False))

    def place(node):
        for at, name in enumerate(known):
            if type(name) is type(node) and name == node:
                return at
        if type(node) is int:
            return node if node < 3 else None
        return next((at for at, name in enumerate(known) if str(name) == str(node)), None)

    form = [(u, v)] if rng.random() < 0.5 else networkx.Graph([(u, v)])
    what = f"{u!r} - {v!r} among {known}"
    try:
        found = orient(form, data, min_confidence=0.5)
    except REFUSED:
        known_both = None not in (place(u), place(v)) and place(u) != place(v)
        return what, "refused" if known_both else None
    except Exception as error:
        return what, f"{type(error).__name__}: {error}"
    if None in (place(u), place(v)):
        return what, f"taken as {found}"
    edges = [(s, m, t) for s, m, t in orient([(place(u), place(v))], values, min_confidence=0.5)]
    wanted = {(s, t) for s, _, t in edges}
    there = found.edges if form is not found and hasattr(found, "edges") else None
    there = there or [(s, t) for s, _, t in found]
    if edges[0][1] == "--":
        wanted |= {(t, s) for s, t in wanted}
        there = [*there, *((t, s) for s, t in there)]
    there = {(place(s), place(t)) for s, t in there}
    return what, None if there == wanted else f"{there} in place of {wanted}"


def order(rng, folder):
    """Series of the same labels in another order are no pair."""
    n = int(rng.integers(12, 30))
    labels = [
        pd.RangeIndex(n),
        pd.date_range("2020-01-01", periods=n),
        pd.Index([f"r{each}" for each in range(n)]),
        pd.MultiIndex.from_product([[0, 1], range(n)])[:n],
    ][int(rng.integers(4))]
    x = pd.Series(rng.normal(size=n), index=labels)
    y = (x**2 + rng.normal(size=n)).sample(frac=1.0, random_state=int(rng.integers(2**31)))
    what = f"index of {type(labels).__name__}"
    if x.index.equals(y.index):
        return what, None
    x, y = ((x.to_frame() if rng.random() < 0.3 else x), y)
    try:
        infer_direction(x, y)
    except ValueError as error:
        return what, None if "align" in str(error) else str(error)
    return what, "paired by position"
