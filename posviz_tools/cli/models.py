"""Commands about models: what a configuration says, small ones trained."""

from pathlib import Path
from typing import Annotated

import typer

from posviz.wording import shortened
from posviz_tools.cli import arguments
from posviz_tools.cli.common import To, argument, command, make_folder, option

File = Annotated[
    Path | None, argument("FILE", "A config.json or its folder, or the name of a built-in one.")
]
AsJson = Annotated[bool, option("--json", "Print all numbers as JSON.")]
Device = Annotated[str, option("--device", "The device: torch CPU, CUDA or MPS.", "NAME")]
Status = Annotated[bool, option("--status", "Show which runs are done, and start none.")]


@command()
def config(file: File = None, as_json: AsJson = False):
    """Explain what a model's config.json says about position, and warn about its traps.

    Without a file, the names of the configurations that are built in. The exit status is 1 with
    warnings, and 2 for a file that cannot be read.

    \b
    posviz config
    posviz config "Gemma 4"
    posviz config config.json
    posviz config config.json --json | jq .kinds[0].frequencies[0]
    """
    from posviz_course.configs import read_config
    from posviz_course.configs.builtin import CONFIGS

    if file is None:
        typer.echo("\n".join(CONFIGS))
        return
    source = file if file.exists() else CONFIGS.get(str(file))
    if source is None:
        arguments.closest("file or model", str(file), CONFIGS, "`posviz config` lists models")
    try:
        reading = read_config(source)
    except TypeError as error:
        raise ValueError(error) from error
    except OSError as error:
        raise ValueError(f"{error.filename or file}: {error.strerror}") from error
    typer.echo(reading.to_json() if as_json else str(reading))
    raise typer.Exit(1 if reading.warnings else 0)


@command()
def sweep(
    name: Annotated[str, typer.Argument(metavar="NAME", help="lesson, small or large.")] = "small",
    to: To = Path("runs"),
    part: Annotated[str, option("--part", "One of N equal parts.", "K/N")] = "1/1",
    device: Device = "torch CPU",
    list_only: Annotated[bool, option("--list", "List the runs without starting any.")] = False,
    status: Status = False,
):
    """Train small models on short texts, test them on long ones; lesson 12 draws the results.

    Each run is a file: what is there is not done again, so stop it and start it again as you like.
    Parts can run on other machines; copy their files into one folder.

    \b
    posviz sweep --list
    posviz sweep small
    posviz sweep lesson --part 3/10 --to runs
    posviz sweep lesson --status --to runs
    """
    from posviz_course.lab import named, results

    configs = named.part_of(named.named(name, device), part)
    if list_only or status:
        lines = [f"{c.key}  {c}" for c in configs] if list_only else results.status(configs, to)
        typer.echo("\n".join(lines))
        return
    from posviz.arrays import devices

    if reason := devices()[device]:  # refused once, not by every run
        raise ValueError(f"device {device} cannot be used: {reason}")
    make_folder(to)
    from posviz_course.lab.sweep import sweep  # loads torch

    done = len(sweep(configs, to))
    typer.echo(f"Runs in {shortened(to)}: {done} of {len(configs)}.")
    raise typer.Exit(0 if done == len(configs) else 1)
