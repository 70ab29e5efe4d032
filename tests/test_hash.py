"""Content hashes: equal for equal content wherever it lies, different for anything else."""

import numpy as np
import pytest

from anmmm._hash import content_hash, file_hash

X = np.arange(6.0)


@pytest.mark.parametrize(
    "other",
    [
        (X, "b"),
        ("a", X),
        (X + 1e-9, "a"),
        (X.astype("f4"), "a"),
        (X.reshape(2, 3), "a"),
        (X.tolist(), "a"),
        (np.ma.array(X, mask=X == 3), "a"),
        (X.astype(object), "a"),
    ],
)
def test_other_values_have_another_hash(other):
    assert content_hash(X.copy(), "a") == content_hash(X, "a") == content_hash(np.ma.array(X), "a")
    assert content_hash(*other) == content_hash(*other) != content_hash(X, "a")


def test_objects_are_hashed_by_what_they_are_and_not_where():
    assert content_hash(np.array([1, None])) == content_hash(np.array([1, None]))
    # Half of a letter, which is no text of any encoding.
    assert len(content_hash("\udc80")) == 64


def test_of_a_large_file_size_beginning_and_end_are_seen(tmp_path):
    path = tmp_path / "f"
    content = bytearray(3 << 20)
    hashes = []
    for place in (None, 0, len(content) - 1):
        if place is not None:
            content[place] = 1
        path.write_bytes(content)
        hashes.append(file_hash(path))
    assert {size for size, _ in hashes} == {3 << 20}
    assert len(set(hashes)) == 3
    content[len(content) // 2] = 1
    path.write_bytes(content)
    assert file_hash(path) == hashes[-1]
