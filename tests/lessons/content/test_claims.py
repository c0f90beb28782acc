"""What the claims of lesson 11 measure, found in another way."""

from posviz_course.lessons.content.claims import a_window_is_the_reach


def test_reach_of_windows_is_that_of_a_walk_back():
    for layers in (1, 2, 4):
        reached = {63}
        for _ in range(layers):
            reached |= {j for i in reached for j in range(max(0, i - 7), i + 1)}
        assert a_window_is_the_reach.function(layers) == len(reached) == layers * 7 + 1
