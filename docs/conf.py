"""How Sphinx builds the site: ``sphinx-build -W -n docs site``, offline."""

from __future__ import annotations

import importlib
import os
import re
import shutil
from pathlib import Path
from typing import Any

from docutils import nodes

import anmmm

ROOT = Path(__file__).resolve().parents[1]
# Kernels are compiled before the examples, whose times are then those of what they show.
anmmm.warm_up()

project = "anmmm"
author = "The anmmm developers"
copyright = author
version = release = anmmm.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx.ext.mathjax",
    "sphinx-mathjax-offline",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["inventories/README.md", "stored/README.md"]
templates_path = ["_templates"]
nitpicky = True
# Fields of a schema, of which a public object is one and which has no page itself.
nitpick_ignore = [("py:obj", "record"), ("py:obj", "check")]
# Tables are as `benchmarks.paper` wrote them, with headings of the second level. Attributes of
# one name that several classes have are linked from the lists of each.
suppress_warnings = ["myst.header", "ref.python"]

myst_enable_extensions = ["colon_fence", "attrs_inline", "dollarmath"]
myst_heading_anchors = 4
# What is copied of a code block can be run.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

# Types stand in the numpydoc sections; in signatures they would be a second copy.
autodoc_typehints = "none"
autosummary_generate = True
default_role = "autolink"
numpydoc_show_class_members = False
numpydoc_xref_param_type = True
numpydoc_xref_ignore = "all"
numpydoc_xref_aliases = {
    "array-like": ":term:`numpy:array_like`",
    "ndarray": "numpy.ndarray",
    "Generator": "numpy.random.Generator",
    "DataFrame": "pandas.DataFrame",
    "Axes": "matplotlib.axes.Axes",
    "Figure": "matplotlib.figure.Figure",
    "Path": "pathlib.Path",
}
numpydoc_xref_aliases |= {
    name: f"anmmm.{name}" for name in anmmm.__all__ if isinstance(getattr(anmmm, name), type)
}

# Builds are offline: docs/inventories/README.md says where these come from.
_INVENTORIES = {
    "python": "https://docs.python.org/3/",
    "numpy": "https://numpy.org/doc/stable/",
    "sklearn": "https://scikit-learn.org/stable/",
    "pandas": "https://pandas.pydata.org/docs/",
    "matplotlib": "https://matplotlib.org/stable/",
    "joblib": "https://joblib.readthedocs.io/en/stable/",
}
intersphinx_mapping = {
    name: (address, f"inventories/{name}.inv") for name, address in _INVENTORIES.items()
}

sphinx_gallery_conf = {
    "examples_dirs": str(ROOT / "examples"),
    "gallery_dirs": "gallery",
    "filename_pattern": r"/\d_",
    # Needs libraries that the build does not have.
    "ignore_pattern": r"__init__\.py|neighbors\.py",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_signature": False,
    "remove_config_comments": True,
    "min_reported_time": 0,
    # Their table needs scripts from the net.
    "write_computation_times": False,
    "reference_url": {"anmmm": None},
    "image_srcset": ["2x"],
}

# Where `asv publish` has made its page, the site has it as well.
ASV_PAGE = ROOT / ".asv" / "html"

html_theme = "pydata_sphinx_theme"
# Two lines of an equation fit beside both side bars.
mathjax3_config = {"chtml": {"scale": 0.9}}
html_title = "anmmm"
html_static_path = ["_static"]
html_css_files = ["anmmm.css"]
# Pages without neighbors have no side bar.
html_sidebars: dict[str, list[str]] = {"index": [], "guide/start": []}
html_show_sourcelink = False
html_context = {"default_mode": "auto"}
html_theme_options: dict[str, Any] = {
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "show_prev_next": False,
    # A field would take a line of its own beside six links.
    "navbar_persistent": ["search-button"],
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
# Where several versions are served, a list of them: docs/development.md.
if versions := os.environ.get("ANMMM_VERSIONS"):
    html_theme_options |= {
        "switcher": {"json_url": versions, "version_match": version},
        "navbar_end": ["version-switcher", "theme-switcher"],
        "check_switcher": False,
    }


# Filled when the first name is looked for, after all pages were read.
_NAMES: dict[int, str] = {}


def _documented(app: Any) -> dict[int, str]:
    """Names under which objects have an entry in the reference, by the object itself."""
    if not _NAMES:
        found = ((_imported(name), name) for name in app.env.get_domain("py").objects)
        _NAMES.update((id(thing), name) for thing, name in found if thing is not None)
    return _NAMES


def _imported(name: str) -> Any:
    """Return what a dotted name means, or None."""
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            thing = importlib.import_module(".".join(parts[:cut]))
        except ImportError:
            continue
        for attribute in parts[cut:]:
            thing = getattr(thing, attribute, None)
        return thing
    return None


def _resolve(app: Any, env: Any, node: Any, contnode: Any) -> Any:
    """Link a name to the entry of the same object; what exists and has no entry stays text."""
    if node.get("refdomain") != "py":
        return None
    target = node["reftarget"]
    module, inside = node.get("py:module") or "anmmm", node.get("py:class") or ""
    for name in (f"{module}.{inside}.{target}", f"{module}.{target}", target):
        thing = _imported(name)
        if thing is None:
            continue
        known = _documented(app).get(id(thing))
        if known is None:
            return contnode if name.startswith("anmmm") else None
        return env.get_domain("py").resolve_xref(
            env, node["refdoc"], app.builder, "obj", known, node, contnode
        )
    owner, _, field = f"{module}.{inside}.{target}".replace("..", ".").rpartition(".")
    for home in (owner, f"{module}.{target}".rpartition(".")[0]):
        if field in getattr(_imported(home), "__dataclass_fields__", ()):
            return contnode
    return None


def _link_pages(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Make links of the pages that docstrings name by their path."""
    for index, line in enumerate(lines):
        lines[index] = re.sub(r"docs/([\w/-]+)\.md", r":doc:`/\1`", line)


def _escape_names(
    app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]
) -> None:
    """Keep names of fitted attributes in shapes from being taken for links, before numpydoc."""
    for index, line in enumerate(lines):
        if " of shape (" in line:
            lines[index] = re.sub(r"(\w)_(?=[,)])", r"\1\\_", line)


def _keep_errors_together(app: Any, doctree: Any, page: str) -> None:
    """Let no line end between a number and its error in a table."""
    for cell in doctree.findall(nodes.entry):
        for text in list(cell.findall(nodes.Text)):
            if " ± " in text:
                text.parent.replace(text, nodes.Text(text.replace(" ± ", "\u00a0±\u00a0")))


def _describe_thumbnails(app: Any, doctree: Any, page: str) -> None:
    """Give the pictures of the gallery, which have no text, the name of their program."""
    for image in doctree.findall(nodes.image):
        if not image.get("alt", "").strip():
            name = Path(image["uri"]).stem.removeprefix("sphx_glr_").removesuffix("_thumb")
            image["alt"] = f"preview of {name.replace('_', ' ').lstrip('0123456789 ')}"


def _write_commands(app: Any) -> None:
    """Write the page of the command line from what its commands say of themselves."""
    from click import Context

    from anmmm.cli import cli

    lines = ["# Commands", "", "What `anmmm --help` and `anmmm COMMAND --help` print.", ""]
    with Context(cli, info_name="anmmm") as outer:
        for name in cli.list_commands(outer):
            command = cli.get_command(outer, name)
            with Context(command, info_name=name, parent=outer, terminal_width=72) as inner:
                lines += [f"## anmmm {name}", "", "```text", command.get_help(inner), "```", ""]
    page, text = Path(app.srcdir) / "api" / "commands.md", "\n".join(lines)
    if not page.exists() or page.read_text(encoding="utf-8") != text:
        page.write_text(text, encoding="utf-8")


def _add_asv(app: Any, failed: Exception | None) -> None:
    """Copy asv's own page into the site, as asv/index.html."""
    if failed is None and app.builder.format == "html" and ASV_PAGE.is_dir():
        shutil.copytree(ASV_PAGE, Path(app.outdir) / "asv", dirs_exist_ok=True)


def setup(app: Any) -> None:
    """Connect what this page adds to Sphinx."""
    app.connect("build-finished", _add_asv)
    app.connect("builder-inited", _write_commands, priority=100)
    app.connect("doctree-resolved", _keep_errors_together)
    app.connect("doctree-resolved", _describe_thumbnails)
    app.connect("missing-reference", _resolve)
    app.connect("autodoc-process-docstring", _escape_names, priority=100)
    app.connect("autodoc-process-docstring", _link_pages, priority=900)
