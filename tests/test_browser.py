"""The built site and the reports, opened in a browser without a network.

``ANMMM_SITE`` names the folder of a built site; `sphinx-build` makes it. Chromium is Debian's, or
another one on the path.
"""

import os
import re
import shutil
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin

import numpy as np
import pandas as pd
import pytest

from anmmm import infer_directions, infer_graph
from anmmm.datasets import make_anm_mixture
from anmmm.report import write_graph_report, write_report

playwright = pytest.importorskip("playwright.sync_api")
BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
SITE = os.environ.get("ANMMM_SITE", "")
WIDTHS = (1400, 1000, 400)
SCHEMES = ("light", "dark")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(BROWSER is None, reason="no Chromium on the path"),
]
needs_site = pytest.mark.skipif(not SITE, reason="ANMMM_SITE names no built site")


class Quiet(SimpleHTTPRequestHandler):
    """Serve files without a line for each."""

    def log_message(self, *arguments):
        pass


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def opened(browser):
    """A function that serves a folder and returns its address, a page and what went wrong."""
    ends = []

    def open_folder(folder):
        handler = partial(Quiet, directory=str(folder))
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/"
        page, faults = browser.new_page(), []

        def local_only(route):
            if not route.request.url.startswith((address, "data:")):
                faults.append(f"asks the network for {route.request.url}")
                return route.abort()
            return route.continue_()

        page.route("**/*", local_only)
        page.on("console", lambda m: m.type == "error" and faults.append(f"console: {m.text}"))
        page.on("pageerror", lambda error: faults.append(f"script: {error}"))
        ends.extend([page.close, server.shutdown])
        return address, page, faults

    yield open_folder
    for end in ends:
        end()


def faults_of(page):
    """Overflow at all widths in both color schemes, and images without a text, of an open page."""
    found = []
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            excess = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            if excess > 0:
                found.append(f"{excess} px too wide at {width} px, {scheme}")
    found += page.evaluate(
        "[...document.images].filter(i => !i.alt.trim()).map(i => 'no text for ' + i.src)"
    )
    return found


def links_of(page):
    """Addresses without scripts that a page links."""
    return page.evaluate("[...document.querySelectorAll('a[href]')].map(a => a.href)")


@needs_site
def test_every_page_fits_and_its_links_exist(opened):
    address, page, faults = opened(SITE)
    pages = sorted(
        str(path.relative_to(SITE))
        for path in Path(SITE).rglob("*.html")
        if not str(path.relative_to(SITE)).startswith(("_", "asv/"))
    )
    assert len(pages) > 50
    ids, links, wrong = {}, set(), []
    for name in pages:
        faults.clear()
        page.goto(urljoin(address, name), wait_until="load")
        ids[name] = set(page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)"))
        links |= {(name, link) for link in links_of(page) if link.startswith(address)}
        wrong += [f"{name}: {fault}" for fault in [*faults_of(page), *faults]]
    for name, link in sorted(links):
        target, fragment = urldefrag(link.removeprefix(address))
        target = unquote(target.partition("?")[0]) or "index.html"
        if target not in ids:
            if not (Path(SITE) / target).is_file():
                wrong.append(f"{name}: no file {target}")
        elif fragment and unquote(fragment) not in ids[target]:
            wrong.append(f"{name}: no anchor {target}#{fragment}")
    assert not wrong, "\n".join(wrong)


@needs_site
@pytest.mark.parametrize("name", ["confounders", "decisions", "linear", "mathematics", "model"])
def test_equations_are_drawn_offline(opened, name):
    address, page, faults = opened(SITE)
    page.goto(urljoin(address, f"method/{name}.html"))
    page.wait_for_selector("mjx-container", timeout=20_000)
    assert page.locator("mjx-container").count() > 2
    assert page.locator("mjx-merror").count() == 0
    assert not re.search(r"\\(frac|sum|tag)", page.inner_text("article"))
    assert faults == []


def test_reports_fit(opened, tmp_path):
    pairs = {f"pair {i}": make_anm_mixture("f3", random_state=i)[:2] for i in range(4)}
    write_report(infer_directions(pairs), tmp_path / "rows.html", source=pairs, n_plots=4)
    rng = np.random.default_rng(0)
    dose, age = rng.uniform(-2.0, 2.0, (2, 200))
    level = np.tanh(2.0 * dose) + np.sin(2.0 * age) + 0.2 * rng.normal(size=200)
    table = pd.DataFrame({"dose (mg)": dose, "age": age, "level": level})
    write_graph_report(infer_graph(table), tmp_path / "graph.html")
    address, page, faults = opened(tmp_path)
    for name in ("rows.html", "graph.html"):
        page.goto(urljoin(address, name))
        # The browser asks for an icon of its own accord.
        assert [*faults_of(page), *(f for f in faults if "404" not in f)] == []
