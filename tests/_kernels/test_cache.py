"""The disk cache: never another version's machine code, never a damaged one, never in the way."""

import multiprocessing
import random
import warnings
from pathlib import Path

import numba
import pytest

import anmmm._kernels
from anmmm import _compiling
from anmmm._kernels import _cache, _jit


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
    with warnings.catch_warnings(record=True, action="always") as shown_warnings:
        value = dispatcher(2.0)
    return (
        value,
        sum(dispatcher.stats.cache_hits.values()),
        [str(warning.message) for warning in shown_warnings],
    )


def test_who_listens_hears_of_compilation_once_and_of_loading_never(folder, monkeypatch):
    heard = []
    for name in ("compiling", "again"):
        monkeypatch.setattr(_compiling, "LISTENERS", [lambda name=name: heard.append(name)])
        compiled()
    assert heard == ["compiling"]
    with _compiling.listening(lambda: heard.append("ahead")):
        assert _compiling.about_to_compile()
    with _compiling.listening(lambda: heard.append("in vain")):
        assert not _compiling.about_to_compile()
    assert heard == ["compiling", "again", "ahead"]


@pytest.mark.parametrize("process", ["MainProcess", "LokyProcess-1"])
def test_compiling_is_logged_and_printed_except_by_workers(monkeypatch, capsys, caplog, process):
    monkeypatch.setattr(multiprocessing.current_process(), "_name", process)
    caplog.set_level("INFO", logger="anmmm")
    _compiling.announce()
    assert caplog.messages == [_compiling.MESSAGE]
    printed = f"{_compiling.MESSAGE}\n" if process == "MainProcess" else ""
    assert capsys.readouterr() == ("", printed)


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


@pytest.mark.parametrize(("extension", "size"), [("nbi", 0), ("nbi", 100), ("nbc", 1)])
def test_a_damaged_file_is_told_and_mended(folder, extension, size):
    compiled()
    (file,) = folder.rglob(f"*.{extension}")
    undamaged, draw = file.read_bytes(), random.Random(0)
    for _ in range(10):
        damaged = bytearray(undamaged)
        damaged[draw.randrange(len(undamaged))] ^= 1 << draw.randrange(8)
        file.write_bytes(damaged)
        assert compiled()[0] == 6.0
    file.write_bytes(undamaged[:size])
    _cache._warned.clear()
    value, hits, (message,) = compiled()
    assert (value, hits) == (6.0, 0)
    assert message.startswith(f"cannot read compiled kernels in {file.parent} (")
    assert "NUMBA_CACHE_DIR" in message
    assert compiled() == (6.0, 1, [])


def test_a_lost_object_is_not_stored(folder):
    kernel = _jit.kernel()(triple)
    kernel(2.0)
    (result,) = kernel.overloads.values()
    for file in folder.rglob("*.nb?"):
        file.unlink()
    # As an error of a signal handler in a callback of LLVM leaves it.
    result.library._compiled_object = None
    kernel._cache.save_overload(*kernel.signatures, result)
    assert not list(folder.rglob("*.nb?"))
    assert not _cache._warned


def test_kernels_compile_where_nothing_can_be_stored(folder, monkeypatch):
    def fails(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(_cache.FunctionCache, "save_overload", fails)
    value, _, (message,) = compiled()
    assert value == 6.0
    assert message.startswith("cannot store compiled kernels in ")
    assert compiled() == (6.0, 0, []), "warned again"
    place = Path(_jit.kernel()(triple).stats.cache_path)
    place.rmdir()
    place.write_text("")
    assert compiled()[0] == 6.0

    def no_locator(body):
        raise RuntimeError("cannot cache function: no locator available")

    monkeypatch.setattr(_jit, "KernelCache", no_locator)
    assert compiled() == (6.0, 0, [])
