import pytest

from anmmm.cli.fault import CommonFault, FaultError
from anmmm.collection.records import PairResult


def told(*rows, output="r.csv"):
    """What is said of rows (status, reason); empty if they are results."""
    fault = CommonFault()
    for number, (status, reason) in enumerate(rows):
        fault.add(PairResult(f"p{number}", status, reason))
    try:
        fault.refuse(output)
    except FaultError as error:
        return error.message
    return ""


FULL = [("error", f"OSError: [Errno 28] No space left: '/tmp/x{n}ab'") for n in range(3)]


def test_an_error_that_all_share_is_told():
    reason = FULL[-1][1]
    common = f"ended in the same error, {reason}; r.csv is not written"
    assert told(*FULL) == f"each of the 3 pairs {common}"
    assert told(("unusable", "x is constant"), *FULL) == (
        f"each of the 3 pairs that could be used {common}"
    )
    assert told(FULL[2], output=None) == f"the one pair ended in an error, {reason}"
    assert FaultError.exit_code == 1


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [*FULL, ("ok", "")],
        [("ok", ""), *FULL],
        [*FULL, ("lost", "its worker died")],
        [*FULL, ("error", "ValueError: odd")],
        [("unusable", "x is constant"), FULL[0]],
        [("unusable", "x is constant")] * 2,
    ],
)
def test_rows_that_are_of_use_are_kept(rows):
    assert told(*rows) == ""
