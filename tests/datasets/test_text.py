import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anmmm.datasets import SourceError
from anmmm.datasets.text import parse_table, read_table


def table(text, name="data.csv"):
    return parse_table(text.encode() if isinstance(text, str) else text, name)


@pytest.mark.parametrize(
    "text",
    [
        "1,2\n3,4\n",
        "1, 2\n3 ,4",
        "1;2\n3;4\n",
        "1|2\n3 | 4\n",
        "1\t2\n3\t4\n",
        "1 2\n3 4\n",
        "  1.0e0   2 \n 3   4\n",
        "1 \t 2\n3\t4 \n",
        "1\t\t2\n3\t\t4\n",
        "1,2\r\n3,4\r\n",
        "1 2\r3 4\r",
        "\n1,2\n\n   \n3,4\n\n",
        "# comment\n1 2\n# 5 6\n3 4",
        "#5 6\n1,2\n#\n3,4\n#end\n# one, two\n",
        "1\t2\n#\n3\t4\n# one\ttwo\n",
        '"1","2"\n"3","4"\n',
        '"1" "2"\n"3" "4"\n',
        "1,2,\n3,4,\n",
        "\ufeff1,2\n3,4\n",
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
        ('"x" "y z"\n1 2\n', ("x", "y z")),
        ('"x" "y"\n"1" 1 2\n"2" 3 4\n', ("", "x", "y")),
        ('"","x"\n1,2\n', ("", "x")),
        ("inf_rate,b\n1,2", ("inf_rate", "b")),
    ],
)
def test_header_names(text, names):
    assert table(text).names == names


@pytest.mark.parametrize(
    ("first", "header", "names"),
    [
        # Of numbers it is one where that is said, of missing values too; of words it stays one.
        ("5,3", None, None),
        ("2019,2020", None, ("2019", "2020")),
        ("2019,2020", False, None),
        ("2019,2020", True, ("2019", "2020")),
        ("NA,NA", None, None),
        ("NA,NA", False, None),
        ("NA,NA", True, ("NA", "NA")),
        ("a,b", None, ("a", "b")),
        ("a,b", True, ("a", "b")),
    ],
)
def test_what_is_said_of_a_header(first, header, names):
    found = parse_table(f"{first}\n1,2\n3,4\n".encode(), "f", header=header)
    assert (found.names, found.lines) == (names, [2, 3] if names else [1, 2, 3])
    assert found.numbers().tolist()[-2:] == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        # Numbers that count the columns, as pandas writes them.
        ("0,1,2\n3,4,5\n", "0 1 2"),
        (",0,1\n3,4,5\n", " 0 1"),
        ("0;1;2\n3;4;5\n", "0 1 2"),
        ("0\t1\n3\t4\n", "0 1"),
        ("0,1,\n3,4,\n", "0 1"),
        ("id,0,1\na,4,5\n", "id 0 1"),
        ("1,2,3\n4,5,6\n", "1 2 3"),
        # Years above other values.
        ("2019,2020\n5,6\n7,8\n", "2019 2020"),
        ("2000;2010;2020\n1950;6;7\n7;8;9\n", "2000 2010 2020"),
        ("country,2019,2020\nFR,5,6\nDE,7,8\n", "country 2019 2020"),
        ("country,2020\nFR,5\nDE,7\n", "country 2020"),
        ('"2019" "2020"\n"1" 5 6\n"2" 7 8\n', " 2019 2020"),
        ("\ufeff\n2019;2020\n0,5;1,5\n", "2019 2020"),
        # Whole numbers above decimals, or above text.
        ("10,20\n0.5,1.5\n0.7,2.5\n", "10 20"),
        ("10 20\n0.5 1.5\n0.7 NA\n", "10 20"),
        ("depth;10;20\na;0,5;1,5\nb;0,7;2,5\n", "depth 10 20"),
        # Quotes of the first line only.
        ('"5","4"\n3,2\n7,8\n', "5 4"),
        ('"","5","4"\n"a",3,2\n"b",7,8\n', " 5 4"),
        ('"0.5","1.5"\n3,2\n7,8\n', "0.5 1.5"),
    ],
)
def test_a_first_line_of_numbers_that_names_the_columns_is_taken_with_a_warning(text, names):
    with pytest.warns(UserWarning, match=r"taken as names.*header=False"):
        found = table(text)
    assert found.names == tuple(names.split(" "))


def test_a_first_line_that_looks_like_names_is_a_row_if_the_caller_says_so(recwarn):
    found = parse_table(b"2019,2020\n5,6\n", "f", header=False)
    assert found.numbers().tolist() == [[2019, 2020], [5, 6]]
    assert not recwarn.list


@pytest.mark.parametrize(
    "text",
    [
        "1,2\n3,4\n",
        "1 2 3\n4 5 6\n",
        "0 1\n3 4\n",
        "5,3\n7,2\n",
        "2019,5\n2020,7.5\n2021,6.5\n",
        "2019,2020\n2020,2022\n1999,2003\n",
        "5,5\n1.5,2.5\n",
        "-5,3\n1.5,2.5\n",
        "5,NA\n1.5,2.5\n",
        "5,3\n1.5,2\n2,3.5\n",
        "5,3\nNA,\n,NA\n",
        '"5","3"\n"7","2"\n',
        "2019,2020\n",
        "5\n1.5\n",
        "FR,5\nDE,7\n",
        "1,2,3.5\n4,5,6\n",
    ],
)
def test_a_first_line_of_values_is_a_row(text, recwarn):
    found = table(text)
    assert (found.names, found.lines[0]) == (None, 1)
    assert not recwarn.list


def test_names_above_numbers_are_pointed_to_the_option():
    with pytest.raises(SourceError, match=r"f.csv:1: column 1 holds 'x'.*header=True"):
        table("x,2\n1,3\n", "f.csv").numbers()


@pytest.mark.parametrize("first", ["<0.35,>2", '"1,446","2,300"'])
def test_limits_and_thousands_are_no_names(first):
    assert table(f"{first}\n1,2\n3,4\n").names is None


def test_a_second_line_of_names_is_named():
    with pytest.raises(SourceError, match=r"f.csv:2: a holds 'mm'.*keep one line"):
        table("a,b\nmm,kg\n1,2\n", "f.csv").numbers()


def test_a_delimiter_at_the_end_of_rows_does_not_shift_the_names():
    found = table("a,b\n1,2,\n3,4,\n")
    assert found.names == ("a", "b")
    np.testing.assert_array_equal(found.numbers(), [[1, 2], [3, 4]])


@pytest.mark.parametrize("line", ["sep=;", '"sep=;"', "\ufeffsep=;\r", "\nsep=;"])
def test_the_separator_of_a_spreadsheet_is_used(line):
    found = table(f"{line}\na,1;b\n1,5;2\n3;4\n")
    assert found.names == ("a,1", "b")
    np.testing.assert_array_equal(found.numbers(), [[1.5, 2], [3, 4]])


def test_tabs_separate_cells_with_blanks_if_blanks_would_not():
    found = table("a\tb\n1\t$ 211\n3\t4\n")
    assert found.rows == [["1", "$ 211"], ["3", "4"]]


def test_words_are_no_row():
    with pytest.raises(SourceError, match=r"f:1: header=False \(--no-header\).*: 'a'; it names"):
        parse_table(b"a,b\n1,2\n", "f", header=False)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("x,y\n#N/A,5\n1,2\n#DIV/0!,6\n", [[np.nan, 5], [1, 2], [np.nan, 6]]),
        ("#N/A,5\n1,2\n", [[np.nan, 5], [1, 2]]),
        ("1\t2\n#VALUE!\t#name?\n", [[1, 2], [np.nan, np.nan]]),
        ("#NUM!\n1\n", [[np.nan], [1]]),
    ],
)
def test_errors_of_a_spreadsheet_are_missing_values_and_no_comments(text, values):
    np.testing.assert_array_equal(table(text).numbers(), values)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,2\n#NV,5\n", "data.csv:2: column 1 holds '#NV', which is not a number"),
        ("1,2\n####,5\n", "data.csv:2: column 1 holds '####', which is not a number"),
        ("x,y\n#5,6\n1,2\n", "data.csv:2: x holds '#5', which is not a number"),
        ("1,2\n#5,6,7\n", "data.csv:2: expected 2 fields as on line 1, found 3"),
    ],
)
def test_a_row_that_begins_like_a_comment_is_not_passed_over(text, message):
    with pytest.raises(SourceError) as caught:
        table(text).numbers()
    advice = "; a comment below the first line has a blank after its #"
    assert str(caught.value) == message + advice


def test_a_row_may_have_a_name_that_begins_like_a_comment():
    result = table("id,x,y\n#1,2,3\n#2,4,5\n")
    np.testing.assert_array_equal(result.numbers([1, 2]), [[2, 3], [4, 5]])


def test_missing_cells_are_nan():
    for cell in ("", "NA", "na", "NaN", "nan", "N/A", "<NA>", "null", "?"):
        values = table(f"a,b\n1,{cell}\n3,4\n").numbers()
        np.testing.assert_array_equal(values, [[1, np.nan], [3, 4]])
    # No alignment of the others.
    values = table("1\t2\n\t4\n5\t6\n").numbers()
    np.testing.assert_array_equal(values, [[1, 2], [np.nan, 4], [5, 6]])


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("1,5;2,5\n3;4,25\n", None),
        ("1,5\t2,5\n3\t4,25\n", None),
        ("a;b\n1,5;2,5\n3;42,5e-1\n", ("a", "b")),
        ("a\tb\n1,5\t2,5\n3\t4,25\n", ("a", "b")),
        ("a\tb\n1,5\t2,5\n3\t4,25\n\t\n", ("a", "b")),
        ("1,5 2,5\n 3  4,25\n", None),
        ("a b\n1,5 2,5\n3 4,25\n", ("a", "b")),
    ],
)
def test_decimal_commas_where_others_separate(text, header):
    result = table(text)
    assert (result.names, result.decimal_comma) == (header, True)
    np.testing.assert_array_equal(result.numbers()[:2], [[1.5, 2.5], [3, 4.25]])


def test_commas_that_separate_stay_separators():
    for text in ("1,2 ,3\n4,5 ,6\n", "1,2\t,3\n4,5\t,6\n", "1,\t2,\t3\n4,\t5,\t6\n"):
        found = parse_table(text.encode(), "f", header=False)
        np.testing.assert_array_equal(found.numbers(), [[1, 2, 3], [4, 5, 6]])


@pytest.mark.parametrize("text", ["a;b\n1,234;5\n999;6\n", "a\tb\n-1,234\t5\n12,000\t6\n"])
def test_what_may_be_thousands_is_warned_of(text):
    with pytest.warns(
        UserWarning, match=r"data.csv: every comma of a .* -?1,234 is -?1.234; write"
    ):
        values = table(text).numbers()
    assert abs(values[0, 0]) == 1.234


@pytest.mark.parametrize("cells", [("1,234", "1,5"), ("0,234", "1,234"), ("1,234e1", "1,234")])
def test_what_cannot_be_thousands_is_not_warned_of(cells, recwarn):
    table("a;b\n" + "".join(f"{cell};1\n" for cell in cells)).numbers()
    assert not recwarn.list


def test_comma_beside_decimal_points_is_refused():
    with pytest.raises(SourceError, match=r"data.csv:2: column 1 holds '1,234', which is not"):
        table("1.5;2\n1,234;2\n").numbers()


def test_only_the_columns_asked_for_need_be_numeric():
    result = table("day,a,b\n2020-01-01,1,2\n2020-01-02,3,4\n")
    np.testing.assert_array_equal(result.numbers([2, 1]), [[2, 1], [4, 3]])
    with pytest.raises(SourceError, match=r"^data.csv:2: day holds '2020-01-01', which is not"):
        result.numbers()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "data.csv: the file is empty"),
        ("\n \n# only words\n", "data.csv: the file is empty"),
        ("sep=;\n# only words\n", "data.csv: the file is empty"),
        ("a,b\n", "data.csv:1: a header, but no row of numbers after it"),
        ("1,2\n\n3\n", "data.csv:3: expected 2 fields as on line 1, found 1"),
        ("a,b\n1,2,3\n4,5,6\n7,8\n", "data.csv:4: expected 3 fields as on line 1, found 2"),
        ("a,b,c\n1,2\n3,4\n", "data.csv:2: expected 3 fields as on line 1, found 2"),
        ("1 2\n3 4 5\n", "data.csv:2: expected 2 fields as on line 1, found 3"),
        (b"a,b\n1,\xe9\n", "data.csv:2: byte 0xe9 is not UTF-8 text; save the file as UTF-8"),
        ('a,b\n1,"2\n', "data.csv:2: a double quote is opened but not closed"),
    ],
)
def test_broken_files_name_file_and_line(text, message):
    with pytest.raises(SourceError) as caught:
        table(text)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("content", "kind", "remedy"),
    [
        (b"\x89PNG\x00\x01", "binary", "save the table as UTF-8 text"),
        ("a,b\n1,2\n".encode("utf-16-le"), "UTF-16", "save the table as UTF-8 text"),
        (b"\xff\xfe1\0", "UTF-16", "save it as UTF-8"),
        (b"\x1f\x8b\x08\0", "gzip", "unpack it"),
        (b"BZh91AY&SY", "bzip2", "unpack it"),
        (b"PK\x03\x04\x14\0", "workbook", "save its sheet as CSV"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "workbook", "save its sheet as CSV"),
        (b'{"a": [1, 2]}', "JSON", "CSV"),
        (b'\xef\xbb\xbf\n[\n {"a": 1}]', "JSON", "CSV"),
        (b"[[1, 2], [3, 4]]", "JSON", "CSV"),
        (b"<!DOCTYPE html>\n<table>", "HTML", "CSV"),
        (b"\n<HTML><body>", "HTML", "CSV"),
        (b'<?xml version="1.0"?>', "XML", "CSV"),
    ],
)
def test_files_that_are_no_tables_are_named(content, kind, remedy):
    with pytest.raises(SourceError, match=rf"^data\.csv: .*{kind}.*{remedy}"):
        table(content)


@pytest.mark.parametrize("text", ["<NA>,5\n1,2\n", "[mm],b\n1,2\n", "<a>,b\n1,2\n"])
def test_first_cells_in_brackets_are_cells(text):
    assert table(text).n_columns == 2


@pytest.mark.parametrize(
    ("cell", "advice"),
    [
        *[(cell, "declare it a column of categories") for cell in ("abc", "--3", "0x1f", "1-2")],
        *[(cell, "detection limit as its number") for cell in ("<0.35", "< 1", ">=20", "≤5")],
        *[(cell, "empty cell") for cell in ("-", "--", ".", "*", "Missing", "unknown", "n.a.")],
        *[(cell, "remove units") for cell in ("21%", "$ 211", "1'446", "12 kg", "5 °C", "1_000")],
        *[(cell, "remove units") for cell in ("EUR 5", "1.5m/s", "~3", "1 446")],
    ],
)
def test_cells_that_are_no_numbers_are_named_with_a_remedy(cell, advice):
    with pytest.raises(SourceError, match=advice) as caught:
        table(f"a,b\n1,2\n3,{cell}\n").numbers()
    assert str(caught.value).startswith(f"data.csv:3: b holds {cell!r}, which is not a number; ")


def test_long_cells_are_cut_in_messages():
    with pytest.raises(SourceError) as caught:
        table("1,2\n3," + "x" * 10_000).numbers()
    assert len(str(caught.value)) < 200


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
def test_what_is_written_is_read_back_exactly(rows, delimiter, newline, header):
    lines = [delimiter.join(map(repr, row)) for row in rows]
    if header:
        lines.insert(0, delimiter.join(["alpha", "beta", "gamma"]))
    result = table(newline.join(lines))
    np.testing.assert_array_equal(result.numbers(), rows)
    assert result.names == (("alpha", "beta", "gamma") if header else None)


@given(st.binary(max_size=60))
def test_any_bytes_give_a_table_or_a_table_error(data):
    problem = ""
    try:
        result = table(data)
        assert result.numbers().shape == (len(result.rows), result.n_columns)
    except SourceError as error:
        problem = str(error)
    assert problem == "" or problem.startswith("data.csv:")
