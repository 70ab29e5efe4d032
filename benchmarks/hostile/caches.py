"""Damage to what is kept of compiled kernels: another file, or the right result."""

import os

import numba

from anmmm._kernels import _cache, _jit


def triple(value):
    return 3.0 * value


def compiled():
    return _jit.kernel()(triple)(2.0)


def cases(rng, count, folder):
    registry, place = dict(_jit.REGISTRY), numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        compiled()
        whole = {file: file.read_bytes() for file in folder.rglob("*.nb*")}
        for number in range(count):
            for file, data in whole.items():
                file.write_bytes(data)
            _cache._warned.clear()
            file = sorted(whole)[number % len(whole)]
            if rng.random() < 0.5:
                damaged = bytearray(whole[file])
                at = int(rng.integers(len(damaged)))
                damaged[at] ^= 1 << int(rng.integers(8))
                file.write_bytes(damaged)
                what = f"bit of byte {at} of {file.suffix}"
            else:
                size = int(rng.integers(len(whole[file])))
                os.truncate(file, size)
                what = f"{file.suffix} cut to {size} bytes"
            try:
                value = compiled()
            except Exception as error:
                yield what, f"{type(error).__name__}: {error}"
            else:
                yield what, None if value == 6.0 else f"gives {value}"
    finally:
        numba.config.CACHE_DIR = place
        _jit.REGISTRY.clear()
        _jit.REGISTRY.update(registry)
