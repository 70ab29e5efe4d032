"""Programs that make the numbers of README and docs; no part of the installed package.

- `decide`, `graphs`, `clusters`: run `anmmm` or another method, a row a pair, table or data set, to
  a Parquet file; `families` draw or read the pairs, `graph_data` the tables, `methods` and
  `baselines` are other methods.
- `tables`: from such rows to docs/stored. `numbers`: from there to the pages, by `views`.
- `calibrate`: from rows to constants of the package.
- `speed`: asv's benchmarks, whose calls `growth` times for the pages. `paper`: its experiments.
- `gallery`: pictures of the pages. `rebuild`: real pairs from the packages that publish them.
"""
