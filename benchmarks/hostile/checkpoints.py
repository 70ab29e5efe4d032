"""Flipped bits and cuts of a checkpoint: resumed to the same rows, or refused by name."""

from stubs import Source, run

from anmmm.collection import CheckpointError

PAIRS = 12


def cases(rng, count, folder):
    path = folder / "c"
    whole = run(Source(PAIRS), checkpoint=path).to_list()
    content = path.read_bytes()
    for number in range(count):
        if number % 4:
            at = int(rng.integers(8 * len(content)))
            damaged = bytearray(content)
            damaged[at // 8] ^= 1 << at % 8
            what = f"bit {at % 8} of byte {at // 8}"
        else:
            at = int(rng.integers(len(content)))
            damaged, what = content[:at], f"cut to {at} bytes"
        path.write_bytes(damaged)
        try:
            rows = run(Source(PAIRS), checkpoint=path).to_list()
        except CheckpointError as error:
            named = str(error).startswith(f"{path}: is ")
            yield what, None if named else f"refused without name: {error}"
        except Exception as error:
            yield what, f"{type(error).__name__}: {error}"
        else:
            yield what, None if rows == whole else "other rows"
