"""All families of pairs by name, and real pairs in the same form."""

from benchmarks.families.base import Family, by_name
from benchmarks.families.confounded import CONFOUNDED_FAMILIES
from benchmarks.families.designed import DESIGNED
from benchmarks.families.direct import DIRECT, DISCRETE, MIXTURES
from benchmarks.families.marginals import MARGINAL
from benchmarks.families.mixed import MIXED
from benchmarks.families.nothing import NOTHING
from benchmarks.families.real import READERS
from benchmarks.families.trades import TRADES
from benchmarks.families.vectors import VECTORS

FAMILIES: dict[str, Family] = by_name(
    DIRECT
    + DISCRETE
    + MIXTURES
    + NOTHING
    + CONFOUNDED_FAMILIES
    + DESIGNED
    + TRADES
    + MARGINAL
    + VECTORS
    + [MIXED]
)


def chosen(name: str) -> list[Family]:
    """Return the families of a name, of a group, or of real pairs as ``tuebingen:FOLDER``."""
    reader, colon, folder = name.partition(":")
    if colon and reader in READERS:
        return READERS[reader](folder)
    if name in FAMILIES:
        return [FAMILIES[name]]
    families = [family for family in FAMILIES.values() if family.name.startswith(f"{name}/")]
    if not families:
        groups = sorted({family.name.partition("/")[0] for family in FAMILIES.values()})
        raise ValueError(f"no family or group {name!r}; groups are {', '.join(groups)}")
    return families
