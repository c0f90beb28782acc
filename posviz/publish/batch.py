"""Many jobs one after the other: one that fails does not stop the others."""

from collections.abc import Callable

from tqdm import tqdm

from posviz.wording import reason, shortened


def run(jobs: dict[str, Callable[[], object]]) -> dict[str, str]:
    """Do all jobs and return why some failed, by name; of a ValueError only what it says."""
    failures = {}
    for name, job in tqdm(jobs.items(), unit="job", disable=None):
        try:
            job()
        except Exception as error:
            is_plain = isinstance(error, ValueError)
            failures[name] = shortened(error) if is_plain else reason(error)
    return failures
