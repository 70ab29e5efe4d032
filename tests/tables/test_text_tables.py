"""Text tables: what is a number, a name, a delimiter or a missing value, and what is refused."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anmmm._tables import SourceError, parse_text

nan = float("nan")


def parse(text, **options):
    return parse_text(text.encode() if isinstance(text, str) else text, "data.csv", **options)


def columns(text, **options):
    """Return the columns as lists, and their names."""
    table = parse(text, **options)
    return [column(table, name) for name in table.names], table.names


def column(table, name, declared=()):
    """Return a column as a list."""
    columns, faults = table.values([name], declared)
    if faults:
        raise faults[name]
    return columns[name].to_array().tolist()


@pytest.mark.parametrize(
    "text",
    [
        "1,2\n3,4\n",
        "1, 2\n3 ,4",
        "1;2\n3;4\n",
        "1|2\n3 | 4\n",
        "1\t2\n3\t4\n",
        "  1.0e0   2 \n 3   4\n",
        "1\t\t2\n3\t\t4\n",
        "1 2\t\n3 4\t\n",
        "sep=;\n1;2\n3;4\n",
        "1,2\r\n3,4\r\n",
        "1 2\r3 4\r",
        "\n1,2\n\n   \n3,4\n\n",
        "# comment\n1 2\n# 5 6\n3 4",
        '"1","2"\n"3","4"\n',
        "\ufeff1,2\n3,4\n",
    ],
)
def test_delimiters_and_line_ends(text):
    assert columns(text) == ([[1, 3], [2, 4]], ("column 1", "column 2"))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a,b\n1,2\n", ("a", "b")),
        ("mean temperature\tozone, ppb\n1\t2\n3\t4\n", ("mean temperature", "ozone, ppb")),
        ('"a, b";c\n1;2\n', ("a, b", "c")),
        ('"x" "y"\n"1" 1 2\n"2" 3 4\n', ("column 1", "x", "y")),
        ("a,b\n1,2,\n3,4,\n", ("a", "b", "column 3")),
        ("inf_rate,b\n1,2", ("inf_rate", "b")),
        ("city,b\nNew York,2\nRome,3\n", ("city", "b")),
    ],
)
def test_a_first_line_of_words_is_a_header(text, names):
    assert parse(text).names == names


@pytest.mark.parametrize(
    ("first", "header", "names"),
    [
        ("5,3", None, None),
        ("2019,2020", False, None),
        ("2019,2020", True, ("2019", "2020")),
        ("NA,NA", None, None),
        ("bp,na", None, ("bp", "na")),
        ("a,b", True, ("a", "b")),
    ],
)
@pytest.mark.filterwarnings("ignore:.*taken as names")
def test_header_says_whether_the_first_line_is_one(first, header, names):
    found, found_names = columns(f"{first}\n1,2\n3,4\n", header=header)
    assert found_names == (names or ("column 1", "column 2"))
    assert parse(f"{first}\n1,2\n3,4\n", header=header).lines == [2, 3] if names else [1, 2, 3]
    assert [column[-2:] for column in found] == [[1, 3], [2, 4]]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (",0,1\n0,4.5,5.5\n", ("column 1", "0", "1")),
        (",0,1\n0,4,5\n1,6,7\n", ("column 1", "0", "1")),
        ("1,2,3\n4,5,6\n7,8,9\n", ("1", "2", "3")),
        ("country,2019,2020\nFR,5.5,6.5\nDE,7.5,8.5\n", ("country", "2019", "2020")),
        ("10,20\n0.5,1.5\n0.7,2.5\n", ("10", "20")),
    ],
)
def test_numbers_that_name_the_columns_are_taken_with_a_warning(text, names):
    with pytest.warns(UserWarning, match="header=False"):
        assert parse(text).names == names


@pytest.mark.parametrize(
    "text",
    [
        "1,2\n3,4\n",
        "0 1\n3 4\n",
        "2019,5\n2020,7.5\n2021,6.5\n",
        "5,5\n1.5,2.5\n",
        '"7","3"\n"5","2"\n',
        "FR,5\nDE,7\n",
        "<0.35,>2\n1,2\n3,4\n",
    ],
)
def test_a_first_line_of_values_is_a_row(text, recwarn):
    assert parse(text).lines[0] == 1
    assert not recwarn.list


@pytest.mark.parametrize(
    "cell", ["", "NA", "na", "NaN", "N/A", "<NA>", "null", "NULL", "?", "#N/A", "#DIV/0!"]
)
def test_missing_cells(cell):
    for text, name in ((f"a,b\n1,{cell}\n3,4\n", "b"), (f"a\tb\n{cell}\t2\n4\t4\n", "a")):
        np.testing.assert_array_equal(column(parse(text), name), [nan, 4])
    assert column(parse(f"a,b\nx,1\n{cell or ' '},2\n"), "a") == ["x", None]


@pytest.mark.parametrize(
    "text",
    [
        "a;b\n1,5;2,5\n3;42,5e-1\n",
        "a\tb\n1,5\t2,5\n3\t4,25\n",
        "1,5;2,5\n3;4,25\n",
    ],
)
def test_decimal_commas_between_other_delimiters(text):
    assert columns(text)[0] == [[1.5, 3], [2.5, 4.25]]


@pytest.mark.parametrize("text", ["a;b\n1,234;5\n999;6\n", "1.5;2\n1,234;2\n"])
def test_a_comma_that_may_separate_thousands_is_refused(text):
    with pytest.raises(SourceError, match=r"'1,234'.* thousands separators"):
        columns(text)


def test_declared_codes_keep_their_leading_zeros():
    table = parse("zip,b\n01067,2.5\n20095,1.5\n")
    assert column(table, "zip") == [1067, 20095]
    assert column(table, "zip", ["zip"]) == ["01067", "20095"]


def test_only_the_columns_that_are_read_need_be_numeric():
    table = parse("day,a,b\n2020-01-01,1,2\n2020-01-02,3,oops\n")
    assert column(table, "a") == [1, 3]
    found, faults = table.values(["day", "a", "b"])
    assert list(found) == ["a"]
    assert "dates" in str(faults["day"])
    assert str(faults["b"]).startswith("data.csv:3: b holds 'oops'")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ": the file is empty"),
        ("\n \n# only words\n", ": the file is empty"),
        ("a,b\n", ":1: a header, but no row"),
        ("1,2\n\n3\n", ":3: expected 2 fields.* found 1"),
        ("a,b\n1,2,3\n4,5,6\n7,8\n", ":4: expected 3 fields"),
        ("a,b,c\n1,2\n3,4\n", ":2: expected 3 fields.* found 2"),
        ("a,b\nx,2\ny,3,4\n", ":3: expected 2 fields.* found 3"),
        (b"a,b\n1,\xe9\n", ":2: byte 0xe9 is not UTF-8"),
        ('a,b\n1,"2\n', ":2: a double quote"),
        ("x,2\n1,3\n", ":1: column 1 holds 'x'.*header=True"),
        ("a,b\nmm,kg\n1,2\n", ":2: a holds 'mm'"),
        ("x,y\n#5,6\n1,2\n", ":2: x holds '#5'"),
        (b"\x89PNG\x00\x01", ": no text"),
        ("a,b\n1,2\n".encode("utf-16-le"), ": no text"),
        (b"\x1f\x8b\x08\0", ": no text.*compressed"),
        (b"PK\x03\x04\x14\0", ": no text.*workbook"),
    ],
)
def test_broken_files_name_file_and_line(text, message):
    with pytest.raises(SourceError) as caught:
        columns(text)
    assert re.match(f"data.csv{message}", str(caught.value))


@pytest.mark.parametrize(
    "cell", ["abc", "0x1f", "1_000", "<0.35", "-", "unknown", "21%", "12 kg", "x" * 10_000]
)
def test_cells_that_are_no_numbers_are_named_with_a_remedy(cell):
    with pytest.raises(SourceError, match="declare the column categories") as caught:
        columns(f"a,b\n1,2\n3,{cell}\n")
    assert str(caught.value).startswith(f"data.csv:3: b holds '{cell[:10]}")
    assert len(str(caught.value)) < 350


numbers = st.floats(allow_nan=False, allow_infinity=False)


@given(
    rows=st.lists(st.tuples(numbers, numbers, numbers), min_size=1, max_size=8),
    delimiter=st.sampled_from([",", ";", "\t", " ", "  \t"]),
    newline=st.sampled_from(["\n", "\r\n"]),
    header=st.booleans(),
    is_missing=st.booleans(),
)
def test_written_numbers_are_read_back_exactly(rows, delimiter, newline, header, is_missing):
    lines = [delimiter.join(map(repr, row)) for row in rows]
    if header:
        lines.insert(0, delimiter.join(["alpha", "beta", "gamma"]))
    if is_missing:
        # pandas reads the file then.
        lines.append(delimiter.join(["NA"] * 3))
        rows = [*rows, (nan, nan, nan)]
    found, names = columns(newline.join(lines))
    np.testing.assert_array_equal(np.transpose(found), rows)
    assert names == (("alpha", "beta", "gamma") if header else tuple(names))
