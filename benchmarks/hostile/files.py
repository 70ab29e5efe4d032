"""Mutated files of every format handed to the command line: a table, or one line of error."""

import json
import re

import numpy as np
from click.testing import CliRunner

from anmmm.cli import cli

ESCAPES = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
WORDS = (
    b"NA",
    b"#N/A",
    b"#DIV/0!",
    b"nan",
    b"inf",
    b"1e999",
    b"1,234",
    b"-",
    b"'",
    b'"',
    b",,",
    b";",
    b"\t",
    b"\r",
    b"\n",
    b"\r\n",
    b"\x00",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\x1b[31m",
    b"\x07",
    b"=1+1",
    b"0x10",
    b"1_000",
    b"True",
    "²".encode(),
    "１".encode(),
    b"# ",
    b"x",
    b"A,B",
    b"SampleID",
)


def plain(rng, folder):
    values = np.round(rng.normal(size=(int(rng.integers(10, 40)), 2)), 3)
    separator = str(rng.choice([",", ";", " ", "\t"]))
    text = "\n".join(separator.join(map(str, row)) for row in values)
    head = str(rng.choice(["", f"a{separator}b\n", "# comment\n"]))
    return {"pair.csv": (head + text + "\n").encode()}


def wide(rng, folder):
    values = np.round(rng.normal(size=(20, 4)), 2)
    lines = ["a,b,c,d", *(",".join(map(str, row)) for row in values)]
    return {"table.csv": "\n".join(lines).encode()}


def a_pair_a_line(rng, folder):
    lines = ["SampleID,A,B"]
    for name in "abc":
        x, y = np.round(rng.normal(size=(2, 12)), 2)
        lines.append(f"{name},{' '.join(map(str, x))},{' '.join(map(str, y))}")
    return {"train.csv": "\n".join(lines).encode()}


def a_folder(rng, folder):
    files = {}
    for number in range(3):
        values = np.round(rng.normal(size=(15, 2)), 2)
        text = "\n".join(" ".join(map(str, row)) for row in values)
        files[f"many/pair{number:04}.txt"] = text.encode()
    files["many/pairmeta.txt"] = b"".join(b"%04d 1 1 2 2 1\n" % number for number in range(3))
    return files


def mutated(rng, data):
    data = bytearray(data)
    for _ in range(int(rng.integers(0, 4))):
        at = int(rng.integers(len(data) + 1))
        kind = rng.integers(5)
        if kind == 0:
            data[at:at] = WORDS[rng.integers(len(WORDS))]
        elif kind == 1:
            data[at : at + int(rng.integers(1, 8))] = WORDS[rng.integers(len(WORDS))]
        elif kind == 2 and data:
            data[at % len(data)] = int(rng.integers(256))
        elif kind == 3:
            del data[at:]
        else:
            end = at + int(rng.integers(1, 60))
            data[at:at] = data[at:end]
    return bytes(data)


def problem(result, many):
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        return f"{type(result.exception).__name__}: {result.exception}"
    said = result.stdout + result.stderr
    if result.exit_code not in (0, 1, 2):
        return f"exit status {result.exit_code}"
    if "Traceback" in said:
        return "a traceback"
    found = ESCAPES.search(said)
    if found:
        return f"a control character {found.group()!r} reaches the terminal"
    if result.exit_code and not result.stderr.strip():
        return "fails without a word"
    if many and result.exit_code == 0:
        rows = json.loads(result.stdout)["rows"]
        if not rows:
            return "an empty table"
        for row in rows:
            if row["status"] == "error":
                return f"a row of status error: {row['reason']}"
            if row["status"] == "ok" and not np.isfinite(row["score"]):
                return "a score that is not finite"
    return None


def cases(rng, count, folder):
    makers = (plain, wide, a_pair_a_line, a_folder)
    runner = CliRunner()
    for number in range(count):
        place = folder / str(number)
        files = makers[number % len(makers)](rng, place)
        spoilt = list(files)[int(rng.integers(len(files)))]
        for name, data in files.items():
            file = place / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(mutated(rng, data) if name == spoilt else data)
        many = number % len(makers) > 0
        source = place / spoilt.split("/", 1)[0]
        arguments = ["directions", str(source), "--json"] if many else ["direction", str(source)]
        if many and "table" in spoilt:
            arguments += ["--columns", "all"]
        result = runner.invoke(cli, arguments)
        yield f"case {number}: {' '.join(arguments)} ({spoilt})", problem(result, many)
