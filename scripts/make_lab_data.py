"""Make posviz/lab/data: run the sweep of the lesson, pack its results, keep eight of its models.

    python scripts/make_lab_data.py --to runs              # resumes what is there
    python scripts/make_lab_data.py --to runs --pack       # packs what is there; runs nothing
    python scripts/make_lab_data.py --to runs --models     # trains the models first: two minutes

The sweep takes about an hour of one core; stop it (Ctrl-C) and start it again as you like.
"""

import argparse
from pathlib import Path

from posviz.lab import models, results
from posviz.lab.named import named
from posviz.lab.sweep import sweep
from posviz.lab.train import tested, trained


def main():
    """Run, pack and keep."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--to", type=Path, default=Path("runs"), help="the folder of the runs")
    parser.add_argument("--pack", action="store_true", help="pack what is there, run nothing")
    parser.add_argument("--models", action="store_true", help="train and keep the models, too")
    options = parser.parse_args()
    configs = named("lesson")
    if options.models:
        keep_models(configs, options.to)
    if not options.pack:
        sweep(configs, options.to)
    wanted = set(configs)
    found = [result for result in results.results(options.to) if result.config in wanted]
    results.pack(found)
    print(f"{results.COMMITTED}: {len(found)} of {len(configs)} runs")


def keep_models(configs, folder):
    """Train those models, whose results are those of the sweep, and keep them."""
    for config in configs:
        chosen = config.arm in models.TRAINED and config.task in models.TASKS_TRAINED
        if chosen and config.seed == 0:
            model, run = trained(config, bar=True)
            result = tested(config, model, run)
            results.save(result, folder)
            print(models.keep_model(model, result))


if __name__ == "__main__":
    main()
