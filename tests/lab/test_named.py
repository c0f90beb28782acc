"""Sweeps with a name, and their parts."""

from collections import Counter

import pytest

from posviz_course.lab.configs import ARMS, REMEDIES, TASKS
from posviz_course.lab.named import NAMES, named, part_of


def test_the_lesson_has_every_arm_on_every_task_from_five_seeds():
    runs = named("lesson")
    seeds = Counter((config.task, config.arm) for config in runs)
    wanted = {(task, arm): 8 if task == "copy unique" else 5 for task in TASKS for arm in ARMS}
    assert seeds == wanted | {("recall", arm): 5 for arm in REMEDIES}
    assert len(set(runs)) == len({config.key for config in runs}) == len(runs)
    first = runs[: len(TASKS) * len(ARMS) + len(REMEDIES)]
    assert {(config.task, config.seed) for config in first} == {(task, 0) for task in TASKS}


def test_the_others_are_smaller_and_larger():
    assert set(named("small")) < set(named("lesson"))
    assert len(named("small")) == 4
    large = named("large", device="CUDA")
    assert [(c.task, c.arm, c.seed) for c in large] == [
        (c.task, c.arm, c.seed) for c in named("lesson")
    ]
    assert {config.device for config in large} == {"CUDA"}
    assert {config.d_model for config in large} == {256}
    assert {c.steps / small.steps for c, small in zip(large, named("lesson"), strict=True)} == {4}


def test_parts_of_a_sweep_are_all_of_it_once():
    for name in NAMES:
        runs = named(name)
        split = [part_of(runs, f"{k}/3") for k in range(1, 4)]
        assert sorted(c.key for part in split for c in part) == sorted(c.key for c in runs)
        assert max(map(len, split)) - min(map(len, split)) <= 1


@pytest.mark.parametrize("part", ["0/3", "4/3", "a/3"])
def test_part_that_is_none_is_refused(part):
    with pytest.raises(ValueError, match=r"part must be k/n with k from 1 to n, such as 3/10, got"):
        part_of(named("small"), part)


def test_unknown_sweep_is_refused():
    with pytest.raises(ValueError, match="name must be one of 'lesson', 'small', 'large', got 'x'"):
        named("x")
