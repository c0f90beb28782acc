"""Commands about models: what a configuration says, small ones trained."""

from pathlib import Path
from typing import Annotated

import typer

from posviz.cli.common import To, check_folder, refusals, unwind_when_stopped
from posviz.wording import shortened, spelt_like

app = typer.Typer()


@app.command()
def config(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE", show_default=False, help="A config.json, or the name of a built-in one."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print all numbers as JSON.")] = False,
):
    """Explain what a model's config.json says about position, and warn about its traps.

    Without a file, the names of the configurations that are built in. The exit status is 1 with
    warnings, and 2 for a file that cannot be read.

    \b
    posviz config
    posviz config "Gemma 4"
    posviz config config.json
    posviz config config.json --json | jq .kinds[0].frequencies[0]
    """
    from posviz.configs import read_config
    from posviz.configs.builtin import CONFIGS

    if file is None:
        typer.echo("\n".join(CONFIGS))
        return
    with refusals():
        try:
            reading = read_config(file if file.exists() else CONFIGS.get(str(file), file))
        except TypeError as error:
            raise ValueError(error) from error
        except OSError as error:
            names = {name.lower(): name for name in CONFIGS}
            typed = str(file).lower()
            near = [n for n in names if n.startswith(typed)] or spelt_like(typed, names)
            hint = f"; did you mean {names[near[0]]!r}?" if near else ""
            raise ValueError(f"{file}: {error.strerror}{hint}") from error
    typer.echo(reading.to_json() if as_json else str(reading))
    raise typer.Exit(1 if reading.warnings else 0)


@app.command()
def sweep(
    name: Annotated[str, typer.Argument(metavar="NAME", help="lesson, small or large.")] = "small",
    to: Annotated[Path, To] = Path("runs"),
    part: Annotated[
        str, typer.Option("--part", metavar="K/N", help="One of N equal parts.")
    ] = "1/1",
    device: Annotated[
        str, typer.Option("--device", metavar="NAME", help="The device: torch CPU, CUDA or MPS.")
    ] = "torch CPU",
    list_only: Annotated[
        bool, typer.Option("--list", help="List the runs without starting any.")
    ] = False,
    status: Annotated[
        bool, typer.Option("--status", help="Show which runs are done, and start none.")
    ] = False,
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
    from posviz.lab import named

    with refusals():
        check_folder(to)
        configs = named.part_of(named.named(name, device), part)
        if list_only or status:
            from posviz.lab import results

            lines = [f"{c.key}  {c}" for c in configs] if list_only else results.status(configs, to)
            typer.echo("\n".join(lines))
            return
        from posviz.arrays import devices

        if reason := devices()[device]:  # told once, not by every run
            raise ValueError(f"device {device} cannot be used: {reason}")
        from posviz.lab.sweep import sweep
    unwind_when_stopped()
    done = len(sweep(configs, to))
    typer.echo(f"Runs in {shortened(to)}: {done} of {len(configs)}.")
    raise typer.Exit(0 if done == len(configs) else 1)
