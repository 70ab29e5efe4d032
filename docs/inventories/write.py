"""Write the inventories of what pages link outside: ``python docs/inventories/write.py``."""

from __future__ import annotations

import zlib
from pathlib import Path

# Of each project the kind, the name and the page below its address; $ stands for the name.
LINKED = {
    "python": {
        "py:class str": "library/stdtypes.html#$",
        "py:class int": "library/functions.html#$",
        "py:class float": "library/functions.html#$",
        "py:class list": "library/stdtypes.html#$",
        "py:class tuple": "library/stdtypes.html#$",
        "py:class dict": "library/stdtypes.html#$",
        "py:class object": "library/functions.html#$",
        "py:data None": "library/constants.html#$",
        "py:data True": "library/constants.html#$",
        "py:data False": "library/constants.html#$",
        "py:function callable": "library/functions.html#$",
        "std:label bltin-boolean-values": "library/stdtypes.html#bltin-boolean-values",
        "std:term iterable": "glossary.html#term-iterable",
        "std:term sequence": "glossary.html#term-sequence",
        "std:term iterator": "glossary.html#term-iterator",
        "py:class pathlib.Path": "library/pathlib.html#$",
        "py:exception ValueError": "library/exceptions.html#$",
        "py:exception KeyboardInterrupt": "library/exceptions.html#$",
        "py:exception OSError": "library/exceptions.html#$",
        "py:exception Exception": "library/exceptions.html#$",
        "py:exception RuntimeError": "library/exceptions.html#$",
        "py:class typing.Protocol": "library/typing.html#$",
        "py:class collections.abc.Iterator": "library/collections.abc.html#$",
        "py:class collections.abc.Sequence": "library/collections.abc.html#$",
        "py:class abc.ABC": "library/abc.html#$",
        "py:function operator.length_hint": "library/operator.html#$",
    },
    "numpy": {
        "py:class numpy.ndarray": "reference/generated/numpy.ndarray.html#$",
        "py:class numpy.random.Generator": "reference/random/generator.html#$",
        "py:class numpy.random.RandomState": "reference/random/legacy.html#$",
        "std:term array_like": "glossary.html#term-array_like",
    },
    "sklearn": {
        "py:class sklearn.base.BaseEstimator": (
            "modules/generated/sklearn.base.BaseEstimator.html#$"
        ),
        "py:class sklearn.base.ClassNamePrefixFeaturesOutMixin": (
            "modules/generated/sklearn.base.ClassNamePrefixFeaturesOutMixin.html#$"
        ),
        "py:class sklearn.base.ClusterMixin": "modules/generated/sklearn.base.ClusterMixin.html#$",
        "py:class sklearn.base.TransformerMixin": (
            "modules/generated/sklearn.base.TransformerMixin.html#$"
        ),
    },
    "pandas": {"py:class pandas.DataFrame": "reference/api/pandas.DataFrame.html#$"},
    "matplotlib": {
        "py:class matplotlib.axes.Axes": "api/_as_gen/matplotlib.axes.Axes.html#$",
        "py:class matplotlib.figure.Figure": "api/_as_gen/matplotlib.figure.Figure.html#$",
    },
    "joblib": {
        "py:class joblib.Parallel": "generated/joblib.Parallel.html#$",
        "py:class joblib.parallel_config": "generated/joblib.parallel_config.html#$",
    },
}


def inventory(project: str, linked: dict[str, str]) -> bytes:
    """Return the bytes of a Sphinx inventory, version 2."""
    header = (
        f"# Sphinx inventory version 2\n# Project: {project}\n# Version: \n"
        "# The remainder of this file is compressed using zlib.\n"
    )
    lines = []
    for key, page in sorted(linked.items()):
        kind, name = key.split(" ")
        lines.append(f"{name} {kind} 1 {page} -\n")
    return header.encode() + zlib.compress("".join(lines).encode(), 9)


if __name__ == "__main__":
    for project, linked in LINKED.items():
        path = Path(__file__).with_name(f"{project}.inv")
        path.write_bytes(inventory(project, linked))
