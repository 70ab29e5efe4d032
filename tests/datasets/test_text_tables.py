"""Text tables: what is a number, a name, a delimiter or a missing value, and what is refused."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anmmm.datasets import SourceError
from anmmm.datasets.text import parse_table, read_table


def table(text, name="data.csv", **options):
    return parse_table(text.encode() if isinstance(text, str) else text, name, **options)


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
        "1,2\r\n3,4\r\n",
        "1 2\r3 4\r",
        "\n1,2\n\n   \n3,4\n\n",
        "# comment\n1 2\n# 5 6\n3 4",
        '"1","2"\n"3","4"\n',
        "1,2,\n3,4,\n",
        "\ufeff1,2\n3,4\n",
        "sep=;\n1;2\n3;4\n",
    ],
)
def test_every_delimiter_and_line_end_gives_the_same_numbers(text):
    result = table(text)
    assert result.names is None
    np.testing.assert_array_equal(result.numbers(), [[1, 2], [3, 4]])


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a,b\n1,2\n", ("a", "b")),
        ("mean temperature\tozone, ppb\n1\t2\n3\t4\n", ("mean temperature", "ozone, ppb")),
        ('"a, b";c\n1;2\n', ("a, b", "c")),
        ('"x" "y"\n"1" 1 2\n"2" 3 4\n', ("", "x", "y")),
        ("a,b\n1,2,\n3,4,\n", ("a", "b")),
        ("inf_rate,b\n1,2", ("inf_rate", "b")),
        ("<0.35,>2\n1,2\n3,4\n", None),
    ],
)
def test_a_first_line_of_words_is_a_header(text, names):
    assert table(text).names == names


@pytest.mark.parametrize(
    ("first", "header", "names"),
    [
        ("5,3", None, None),
        ("2019,2020", None, ("2019", "2020")),
        ("2019,2020", False, None),
        ("2019,2020", True, ("2019", "2020")),
        ("NA,NA", None, None),
        ("NA,NA", True, ("NA", "NA")),
        ("a,b", True, ("a", "b")),
    ],
)
@pytest.mark.filterwarnings("ignore:.*taken as names")
def test_header_says_whether_the_first_line_is_one(first, header, names):
    found = table(f"{first}\n1,2\n3,4\n", header=header)
    assert (found.names, found.lines) == (names, [2, 3] if names else [1, 2, 3])
    assert found.numbers().tolist()[-2:] == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        # Numbers that count the columns, as pandas writes them.
        ("0,1,2\n3,4,5\n", "0 1 2"),
        (",0,1\n3,4,5\n", " 0 1"),
        # Years above other values.
        ("2019,2020\n5,6\n7,8\n", "2019 2020"),
        ("country,2019,2020\nFR,5,6\nDE,7,8\n", "country 2019 2020"),
        # Whole numbers above decimals; quotes of the first line only.
        ("10,20\n0.5,1.5\n0.7,2.5\n", "10 20"),
        ('"5","4"\n3,2\n7,8\n', "5 4"),
    ],
)
def test_numbers_that_name_the_columns_are_taken_with_a_warning(text, names):
    with pytest.warns(UserWarning, match="header=False"):
        found = table(text)
    assert found.names == tuple(names.split(" "))


@pytest.mark.parametrize(
    "text",
    [
        "1,2\n3,4\n",
        "0 1\n3 4\n",
        "2019,5\n2020,7.5\n2021,6.5\n",
        "2019,2020\n2020,2022\n1999,2003\n",
        "5,5\n1.5,2.5\n",
        "5,NA\n1.5,2.5\n",
        '"5","3"\n"7","2"\n',
        "FR,5\nDE,7\n",
    ],
)
def test_a_first_line_of_values_is_a_row(text, recwarn):
    found = table(text)
    assert (found.names, found.lines[0]) == (None, 1)
    assert not recwarn.list


@pytest.mark.parametrize(
    "cell", ["", "NA", "na", "NaN", "N/A", "<NA>", "null", "?", "#N/A", "#DIV/0!", "#VALUE!"]
)
def test_missing_cells_are_nan(cell):
    values = table(f"a,b\n1,{cell}\n3,4\n").numbers()
    np.testing.assert_array_equal(values, [[1, np.nan], [3, 4]])
    # Also at the beginning of a line.
    values = table(f"a\tb\n1\t2\n{cell}\t4\n").numbers()
    np.testing.assert_array_equal(values, [[1, 2], [np.nan, 4]])


def test_a_row_may_have_a_name_that_begins_like_a_comment():
    result = table("id,x,y\n#1,2,3\n#2,4,5\n")
    np.testing.assert_array_equal(result.numbers([1, 2]), [[2, 3], [4, 5]])


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("1,5;2,5\n3;4,25\n", None),
        ("a;b\n1,5;2,5\n3;42,5e-1\n", ("a", "b")),
        ("a\tb\n1,5\t2,5\n3\t4,25\n\t\n", ("a", "b")),
        ("1,5 2,5\n 3  4,25\n", None),
    ],
)
def test_decimal_commas_between_other_delimiters(text, header):
    result = table(text)
    assert (result.names, result.decimal_comma) == (header, True)
    np.testing.assert_array_equal(result.numbers()[:2], [[1.5, 2.5], [3, 4.25]])


def test_possible_thousands_separators_are_warned_of():
    with pytest.warns(UserWarning, match="every comma of a"):
        values = table("a;b\n1,234;5\n999;6\n").numbers()
    assert values[0, 0] == 1.234
    with pytest.raises(SourceError, match=r"data.csv:2: column 1 holds '1,234'"):
        table("1.5;2\n1,234;2\n").numbers()


def test_only_the_columns_asked_for_need_be_numeric():
    result = table("day,a,b\n2020-01-01,1,2\n2020-01-02,3,4\n")
    np.testing.assert_array_equal(result.numbers([2, 1]), [[2, 1], [4, 3]])
    with pytest.raises(SourceError, match=r"^data.csv:2: day holds '2020-01-01'"):
        result.numbers()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ": the file is empty"),
        ("\n \n# only words\n", ": the file is empty"),
        ("a,b\n", ":1: a header, but no row"),
        ("1,2\n\n3\n", ":3: expected 2 fields as on line 1, found 1"),
        ("a,b\n1,2,3\n4,5,6\n7,8\n", ":4: expected 3 fields"),
        (b"a,b\n1,\xe9\n", ":2: byte 0xe9 is not UTF-8"),
        ('a,b\n1,"2\n', ":2: a double quote"),
        ("x,2\n1,3\n", ":1: column 1 holds 'x'.*header=True"),
        ("a,b\nmm,kg\n1,2\n", ":2: a holds 'mm'.*one line"),
        ("1,2\n#5,6,7\n", ":2: expected 2 fields.*comment"),
        ("x,y\n#5,6\n1,2\n", ":2: x holds '#5'.*comment"),
        (b"\x89PNG\x00\x01", ": .*binary"),
        ("a,b\n1,2\n".encode("utf-16-le"), ": .*UTF-16"),
        (b"\x1f\x8b\x08\0", ": .*gzip.*unpack"),
        (b"PK\x03\x04\x14\0", ": .*workbook.*CSV"),
        (b'{"a": [1, 2]}', ": .*JSON"),
        (b"<!DOCTYPE html>\n<table>", ": .*HTML"),
    ],
)
def test_broken_files_name_file_and_line(text, message):
    with pytest.raises(SourceError) as caught:
        table(text).numbers()
    assert re.match(f"data.csv{message}", str(caught.value))


def test_words_are_no_row_if_there_is_no_header():
    with pytest.raises(SourceError, match=r"f:1: header=False"):
        table("a,b\n1,2\n", "f", header=False)


@pytest.mark.parametrize(
    ("cell", "remedy"),
    [
        ("abc", "categories"),
        ("0x1f", "categories"),
        ("<0.35", "detection limit"),
        ("-", "empty cell"),
        ("unknown", "empty cell"),
        ("21%", "units"),
        ("12 kg", "units"),
        ("x" * 10_000, "categories"),
    ],
)
def test_cells_that_are_no_numbers_are_named_with_a_remedy(cell, remedy):
    with pytest.raises(SourceError, match=remedy) as caught:
        table(f"a,b\n1,2\n3,{cell}\n").numbers()
    assert str(caught.value).startswith(f"data.csv:3: b holds '{cell[:10]}")
    assert len(str(caught.value)) < 250


def test_read_table_names_the_path(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("1,2\n3\n")
    with pytest.raises(SourceError) as caught:
        read_table(path)
    assert str(caught.value).startswith(f"{path}:2: ")
    with pytest.raises(FileNotFoundError):
        read_table(tmp_path / "none.csv")


numbers = st.floats(allow_nan=False, allow_infinity=False)


@given(
    rows=st.lists(st.tuples(numbers, numbers, numbers), min_size=1, max_size=8),
    delimiter=st.sampled_from([",", ";", "\t", " ", "  \t"]),
    newline=st.sampled_from(["\n", "\r\n"]),
    header=st.booleans(),
)
def test_written_numbers_are_read_back_exactly(rows, delimiter, newline, header):
    lines = [delimiter.join(map(repr, row)) for row in rows]
    if header:
        lines.insert(0, delimiter.join(["alpha", "beta", "gamma"]))
    result = table(newline.join(lines))
    np.testing.assert_array_equal(result.numbers(), rows)
    assert result.names == (("alpha", "beta", "gamma") if header else None)
