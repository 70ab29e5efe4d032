"""The disk cache: never another version's machine code, never a damaged one, never in the way."""

import gc
import multiprocessing
import os
import random
import warnings
from pathlib import Path

import numba
import pytest

import anmmm._kernels
from anmmm import _compiling
from anmmm._kernels import _cache, _jit
from subprocess_helpers import python


def triple(value):
    return 3.0 * value


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder for the machine code of kernels that no test shares."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(_jit, "REGISTRY", {})
    monkeypatch.setattr(_cache, "_warned", set())
    return tmp_path


def compiled(body=triple):
    """What a new process would have: the value of a call, hits of the cache, and the warnings."""
    dispatcher = _jit.kernel()(body)
    with warnings.catch_warnings(record=True, action="always") as seen:
        value = dispatcher(2.0)
    return value, sum(dispatcher.stats.cache_hits.values()), [str(one.message) for one in seen]


def test_who_listens_hears_of_compilation_once_and_of_loading_never(folder, monkeypatch):
    heard = []
    monkeypatch.setattr(_compiling, "LISTENERS", [lambda: heard.append("compiling")])
    compiled()
    assert heard == ["compiling"]
    assert _compiling.LISTENERS == []
    monkeypatch.setattr(_compiling, "LISTENERS", [lambda: heard.append("again")])
    compiled()
    assert heard == ["compiling"]


@pytest.mark.parametrize(
    ("options", "is_small"),
    [({}, True), ({"fastmath": _jit.SUMS}, False), ({"loops": True}, False)],
    ids=["plain", "sums", "loops"],
)
def test_only_kernels_with_loops_are_unrolled(folder, options, is_small):
    dispatcher = _jit.kernel(**options)(triple)
    dispatcher(2.0)
    [text] = dispatcher.inspect_llvm().values()
    assert ("optsize" in text) == is_small


@pytest.mark.parametrize("frozen", [False, True])
def test_compiling_leaves_the_garbage_collector_as_it_was(folder, frozen):
    if frozen:
        gc.freeze()
    try:
        compiled()
        assert gc.isenabled()
        assert (gc.get_freeze_count() > 0) == frozen
    finally:
        gc.unfreeze()


@pytest.mark.parametrize("process", ["MainProcess", "LokyProcess-1"])
def test_compiling_is_logged_and_printed_except_by_workers(monkeypatch, capsys, caplog, process):
    monkeypatch.setattr(multiprocessing.current_process(), "_name", process)
    caplog.set_level("INFO", logger="anmmm")
    _compiling.announce()
    assert caplog.messages == [_compiling.MESSAGE]
    printed = f"{_compiling.MESSAGE}\n" if process == "MainProcess" else ""
    assert capsys.readouterr() == ("", printed)


def test_a_block_listens_only_where_nothing_was_compiled_before(monkeypatch):
    heard = []
    monkeypatch.setattr(_compiling, "LISTENERS", [lambda: heard.append("announced")])
    with _compiling.listening(lambda: heard.append("not in this block")):
        pass
    with _compiling.listening(lambda: heard.append("ahead")):
        assert _compiling.about_to_compile()
    with _compiling.listening(lambda: heard.append("again")):
        assert not _compiling.about_to_compile()
    assert heard == ["announced", "ahead"]


def test_what_a_listener_had_compiled_is_loaded(folder, monkeypatch):
    monkeypatch.setattr(_compiling, "LISTENERS", [compiled])
    assert compiled() == (6.0, 1, [])


def test_machine_code_of_other_kernels_text_does_not_run(folder, monkeypatch):
    compiled()
    monkeypatch.setattr(_cache, "text_digest", lambda: "another")
    assert compiled() == (6.0, 0, [])
    assert compiled() == (6.0, 1, [])
    names = {file.name for file in folder.rglob("*.nbi")}
    assert len(names) == 2
    assert sum(".another.nbi" in name for name in names) == 1


def test_the_digest_is_of_the_text_of_every_kernel(tmp_path, monkeypatch):
    source = Path(anmmm._kernels.__file__).parent
    for path in source.glob("*.py"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.setattr(_cache, "__file__", str(tmp_path / "_cache.py"))
    digest = _cache.text_digest.__wrapped__
    before = digest()
    assert before == _cache.text_digest()
    for path in sorted(tmp_path.glob("*.py")):
        text = path.read_bytes()
        path.write_bytes(text + b"\n")
        assert digest() != before, path.name
        path.write_bytes(text)
    assert digest() == before


@pytest.mark.parametrize(("kind", "size"), [("nbi", 0), ("nbi", 100), ("nbc", 1)])
def test_a_file_cut_short_is_told_and_mended(folder, kind, size):
    compiled()
    (file,) = folder.rglob(f"*.{kind}")
    os.truncate(file, size)
    value, hits, (message,) = compiled()
    assert (value, hits) == (6.0, 0)
    assert message.startswith(f"cannot read compiled kernels in {file.parent} (")
    assert "NUMBA_CACHE_DIR" in message
    assert compiled() == (6.0, 1, [])


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
def test_a_flipped_bit_is_noticed_or_does_nothing(folder, kind):
    compiled()
    (file,) = folder.rglob(f"*.{kind}")
    whole = file.read_bytes()
    draw = random.Random(0)
    for _ in range(20):
        damaged = bytearray(whole)
        damaged[draw.randrange(len(whole))] ^= 1 << draw.randrange(8)
        file.write_bytes(damaged)
        assert compiled()[0] == 6.0


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), PermissionError(13)])
def test_a_disk_that_cannot_keep_it_costs_one_warning(folder, monkeypatch, error):
    def fails(*args):
        raise error

    monkeypatch.setattr(_cache.FunctionCache, "save_overload", fails)
    value, _, (message,) = compiled()
    assert value == 6.0
    assert message.startswith("cannot store compiled kernels in ")
    assert compiled() == (6.0, 0, []), "warned again"


def test_a_folder_that_is_a_file_is_done_without(folder):
    dispatcher = _jit.kernel()(triple)
    place = Path(dispatcher.stats.cache_path)
    place.rmdir()
    place.write_text("")
    with pytest.warns(RuntimeWarning, match="cannot read compiled kernels"):
        assert dispatcher(2.0) == 6.0


def test_without_a_folder_for_the_cache_kernels_still_compile(folder, monkeypatch):
    def no_locator(body):
        raise RuntimeError("cannot cache function: no locator available")

    monkeypatch.setattr(_jit, "KernelCache", no_locator)
    assert compiled() == (6.0, 0, [])


@pytest.mark.slow
def test_a_program_runs_with_every_file_of_the_cache_cut(tmp_path):
    # A function of few kernels: all of them are read alike.
    code = "import anmmm; print(anmmm.hsic(range(20), [x * x % 7 for x in range(20)]))"
    options = {"env": {"NUMBA_CACHE_DIR": str(tmp_path)}, "timeout": 300}
    first = python("-c", code, **options)
    for file in tmp_path.rglob("*.nbi"):
        os.truncate(file, 0)
    again = python("-c", code, **options)
    assert again.stdout == first.stdout
    assert "cannot read compiled kernels" in again.stderr
