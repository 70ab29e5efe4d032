"""The style sheet of a page."""

from __future__ import annotations

__all__ = ["STYLE"]

# Pictures stand on a light card in dark mode, too: their ink is dark.
STYLE = """
:root { color-scheme: light dark; --ink: #1c2330; --soft: #5b6474; --line: #dfe3ea; --back: #f6f7f9;
  --card: #fff; --bar: #cfe3f1; --good: #00694d; --bad: #a83f00; --accent: #0072b2; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --soft: #a0a9b8; --line: #343b47;
  --back: #14181f; --card: #1d222b; --bar: #23465c; --good: #4cc9a0; --bad: #ff9a5c;
  --accent: #6bb8e8; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
header, main, footer { max-width: 72rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 2.25rem; }
footer { padding-bottom: 3rem; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .25rem; letter-spacing: -.01em; }
h2 { font-size: 1.25rem; margin: 2.75rem 0 .5rem; padding-top: 1rem;
  border-top: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
p { margin: .25rem 0 .75rem; max-width: 46rem; }
.soft { color: var(--soft); }
code { font: .9em ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.1rem, 1fr)); gap: .7rem;
  margin: 1.25rem 0; }
.facts div { background: var(--card); border: 1px solid var(--line); border-radius: .6rem;
  padding: .65rem .7rem; }
.facts dt { color: var(--soft); font-size: .8rem; }
.facts dd { margin: 0; font-variant-numeric: tabular-nums; }
.facts .value { font-size: 1.4rem; font-weight: 650; line-height: 1.25; white-space: nowrap; }
.facts .note { color: var(--soft); font-size: .8rem; line-height: 1.35; }
.beside { display: grid; grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); gap: 0 3rem;
  align-items: start; }
.wide { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr));
  gap: 1rem 2rem; align-items: start; }
.wide figure { margin-top: .6rem; }
.alone { max-width: 42rem; }
.unseen { position: absolute; clip-path: inset(50%); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem;
  font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: .5rem 0 .25rem; }
th, td { padding: .3rem .6rem .3rem 0; text-align: left; vertical-align: baseline;
  border-bottom: 1px solid var(--line); }
th { font-weight: 500; }
thead th { color: var(--soft); font-size: .8rem; }
.n { text-align: right; white-space: nowrap; }
td.n, th.n { padding-right: 1.1rem; }
td.n:last-child, th.n:last-child { padding-right: .35rem; }
td.bar { width: 5.5rem; background: linear-gradient(var(--bar), var(--bar)) right top .3rem /
  var(--share) 1.35rem no-repeat; }
tbody td, tbody th { overflow-wrap: anywhere; }
tbody th { min-width: 6.5rem; }
td.n { overflow-wrap: normal; }
thead th, tbody th.n, .whole { overflow-wrap: normal; white-space: nowrap; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(13.5rem, 1fr)); gap: 1rem;
  margin: 1rem 0; padding: 0; list-style: none; }
.cards figure { height: 100%; }
figure { margin: 0; background: var(--card); border: 1px solid var(--line); border-radius: .6rem;
  overflow: hidden; }
figure img { display: block; width: 100%; height: auto; background: #fff; padding: .35rem; }
figcaption { padding: .5rem .8rem .7rem; font-size: .85rem; border-top: 1px solid var(--line);
  font-variant-numeric: tabular-nums; }
.name { display: flex; justify-content: space-between; gap: .75rem; }
.name b { overflow-wrap: anywhere; }
.right, .wrong { white-space: nowrap; font-weight: 600; }
.right { color: var(--good); }
.wrong { color: var(--bad); }
.none { aspect-ratio: 2.2 / 1.7; display: grid; place-items: center; padding: 1rem;
  color: var(--soft); text-align: center; font-size: .85rem; }
.hint { border-left: 3px solid var(--accent); padding: .1rem 0 .1rem .8rem; }
@media (max-width: 52rem) { .beside { grid-template-columns: minmax(0, 1fr); } }
@media (max-width: 30rem) { .cards { grid-template-columns: repeat(2, 1fr); gap: .6rem; }
  figcaption { padding: .4rem .55rem .55rem; font-size: .78rem; }
  .facts { grid-template-columns: repeat(2, 1fr); gap: .6rem; } .facts .value { font-size: 1.2rem; }
  header, main, footer { padding-left: .9rem;
  padding-right: .9rem; } }
@media print { body { background: none; } figure, .facts div { break-inside: avoid; } }
"""
