"""The examination: a task of each lesson."""

from posviz_course.lessons.examination.exercises import *  # noqa: F403
