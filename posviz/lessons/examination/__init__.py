"""The examination: a task of each lesson."""

from posviz.lessons.examination.exercises import *  # noqa: F403
