"""Errors in what is made of the laboratory's runs."""

P, T = "posviz/pictures/length/", "tests/pictures/length/"
CURVES, RATES = T + "test_extrapolation_curves.py::", T + "test_solve_rates.py::"
NEEDLE = T + "test_needle_by_distance.py::"
TABLES = "tests/lab/test_tables.py::"

QUICK = {
    "tables: runs in the order of files, not of seeds": (
        "posviz/lab/tables.py",
        "for seed in sorted(arms[arm])",
        "for seed in arms[arm]",
        TABLES + "test_runs_stand_in_the_order_of_arms_and_seeds",
    ),
    "tables: solved is above the share": (
        "posviz/lab/tables.py",
        "self.by_length[arm] >= share",
        "self.by_length[arm] > share",
        TABLES + "test_solved_is_at_least_the_share",
    ),
    "curves: the mean in place of the median": (
        P + "_curves.py",
        "np.median(runs, axis=0)",
        "np.mean(runs, axis=0) - 0.01",
        CURVES + "test_every_run_is_a_thin_line_and_the_median_goes_through_their_middle",
    ),
    "curves: bins across the end of training": (
        P + "_curves.py",
        "(found.trained * 2**steps)",
        "(1.1 * found.trained * 2**steps)",
        CURVES + "test_positions_are_bins_of_which_one_begins_where_the_training_ends",
    ),
    "curves: the reader's run on every task": (
        P + "extrapolation_curves.py",
        "if self._mine and self._mine[0].task == self.task else {}",
        "if self._mine else {}",
        CURVES + "test_the_readers_run_is_laid_over_its_own_task",
    ),
    "needles: far begins at half of the trained length": (
        P + "needle_by_distance.py",
        "far = arrays.places >= arrays.trained",
        "far = arrays.places >= arrays.trained // 2",
        NEEDLE + "test_the_caption_tells_a_flat_loss_from_what_is_found",
    ),
    "solve rates: who did not learn may solve beyond": (
        P + "solve_rates.py",
        "solved = learned & (dots.value >= self.share)",
        "solved = dots.value >= self.share",
        RATES + "test_who_did_not_learn_inside_solves_nothing_beyond",
    ),
    "solve rates: the caption counts them, too": (
        P + "solve_rates.py",
        "*(solved & solved[:, :1]).sum(axis=0)",
        "*solved.sum(axis=0)",
        RATES + "test_the_caption_counts_runs",
    ),
    "claims: needles within the trained length": (
        "posviz/claims/length/_runs.py",
        "found.places >= found.trained",
        "found.places < found.trained",
        "tests/claims/length/test_losses.py::test_what_each_claim_comes_to"
        "[a_flat_loss_is_a_memory]",
    ),
    "claims: a loss may grow by a nat": (
        "posviz/claims/length/_runs.py",
        "SMALL = 0.1",
        "SMALL = 1.0",
        "tests/claims/length/test_losses.py::test_what_each_claim_comes_to[t5_goes_on]",
    ),
}
DEFAULT: dict[str, tuple] = {}
