"""Disks that are full at a random byte: one line that names the output, and all else as it was."""

from click.testing import CliRunner

from anmmm.cli import cli
from benchmarks.hostile.outputs import OUTPUTS, inputs
from waiting import largest_file


def cases(rng, count, folder):
    runner = CliRunner()
    inputs(folder)
    for number in range(count):
        arguments, option, name = OUTPUTS[number % len(OUTPUTS)]
        here = folder / str(number)
        here.mkdir()
        output = here / name
        command = [*(each.format(folder) for each in arguments), option, str(output)]
        if number < len(OUTPUTS):
            # What is imported or compiled writes files of its own.
            runner.invoke(cli, [*command, "--force"])
        before = output.read_bytes() if output.exists() else None
        size = int(10 ** rng.uniform(0.0, 4.5))
        with largest_file(size):
            result = runner.invoke(cli, command)
        after = output.read_bytes() if output.exists() else None
        left = {file.name for file in here.iterdir()} - {name}
        what = f"case {number}: {' '.join(command[:1])} {option} {name} of {size} bytes"
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            yield what, f"{type(result.exception).__name__}: {result.exception}"
        elif result.exit_code == 0:
            yield what, None if after else "exit 0 and no file"
        elif str(output) not in result.stderr:
            yield what, f"does not name the file: {result.stderr}"
        elif left and "--resume continues" not in result.stderr:
            yield what, f"leaves {left}"
        else:
            yield what, None if after == before else "changes what was there"
