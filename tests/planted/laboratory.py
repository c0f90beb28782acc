"""Errors in the laboratory: what is trained, tested, kept and told."""

LAB, T = "posviz/lab/", "tests/lab/test_"

QUICK = {
    "laboratory: the key is Python's hash": (
        LAB + "configs.py",
        "hashlib.sha256(text.encode()).hexdigest()[:16]",
        'f"{hash(text) % 2**64:016x}"',
        T + "configs.py::test_the_key_is_the_same_on_every_machine",
    ),
    "laboratory: every step has the same texts": (
        LAB + "tasks.py",
        "np.random.default_rng((seed, step))",
        "np.random.default_rng(seed)",
        T + "tasks.py::test_texts_depend_on_seed_and_step_alone",
    ),
    "laboratory: tested on what was trained on": (
        LAB + "tasks.py",
        "% HELD_OUT == HELD_OUT - 1) == test]",
        "% HELD_OUT == HELD_OUT - 1) <= test]",
        T + "tasks.py::test_bytes_say_the_next_and_are_never_of_the_blocks_of_the_other",
    ),
    "laboratory: a name is asked for where it is given": (
        LAB + "tasks.py",
        "given[:, None, :] < places[:, None]",
        "given[:, None, :] <= places[:, None]",
        T + "tasks.py::test_recall_asks_for_what_was_given",
    ),
    "laboratory: a tie is a majority of zeros": (
        LAB + "tasks.py",
        "np.where(ahead == 0, IGNORED,",
        "np.where(ahead == 99, IGNORED,",
        T + "tasks.py::test_parity_and_majority_count_all_so_far",
    ),
    "laboratory: the mean of all positions hides the cliff": (
        LAB + "train.py",
        "place >= length // 2",
        "place >= 0",
        T + "train.py::test_the_loss_is_of_the_second_half_and_copies_have_no_first",
    ),
    "laboratory: the optimizer's memory is not kept": (
        LAB + "train.py",
        '"means": optimizer.means, "squares": optimizer.squares, ',
        '"means": optimizer.means, ',
        T + "train.py::test_killed_and_gone_on_from_each_step",
    ),
    "laboratory: a run that was killed begins anew": (
        LAB + "train.py",
        "    run.losses, run.seconds = losses, seconds",
        "    run.seconds = seconds",
        T + "train.py::test_it_goes_on_and_does_not_begin_again",
    ),
    "laboratory: positions are drawn from a generator that goes on": (
        LAB + "train.py",
        "rng = np.random.default_rng((config.seed, step, 1))",
        "rng = _RNG = globals().setdefault('_RNG', np.random.default_rng(0))",
        T + "train.py::test_killed_and_gone_on_from_each_step",
    ),
    "laboratory: one thread is left to the others": (
        "posviz/models/training.py",
        "torch.set_num_threads(before)",
        "pass",
        T + "train.py::test_torch_is_left_as_it_was",
    ),
    "laboratory: a table of the trained length alone": (
        LAB + "arms.py",
        "_normal(config, longest(config), config.d_model)",
        "_normal(config, config.seq_len, config.d_model)",
        T + "arms.py::test_learned_rows_reach_the_longest_test_and_only_those_in_training_move",
    ),
    "laboratory: T5 has buckets that no distance in training reaches": (
        LAB + "arms.py",
        "max(config.seq_len // 2, BUCKETS)",
        "128",
        T + "arms.py::test_t5_has_no_bucket_without_training",
    ),
    "laboratory: the last layer of the hybrid is windowed, too": (
        LAB + "arms.py",
        'last = {"encoding": NoPosition()}',
        'last = {"encoding": NoPosition(), **near}',
        T + "arms.py::test_windows_and_the_layer_without_position",
    ),
    "laboratory: always stretched by eight": (
        LAB + "arms.py",
        "factor = max(length / config.seq_len, 1.0)",
        "factor = 8.0",
        T + "arms.py::test_nothing_changes_within_the_trained_length",
    ),
    "laboratory: log-n within the trained length, too": (
        LAB + "arms.py",
        "seen.clamp(min=config.seq_len)",
        "seen.clamp(min=2)",
        T + "arms.py::test_log_n_is_the_logarithm_of_keys_by_that_of_the_trained_length",
    ),
    "laboratory: what is changed at test stays changed": (
        LAB + "arms.py",
        "_CHANGED[name](deepcopy(model), config, length)",
        "_CHANGED[name](model, config, length)",
        T + "arms.py::test_beyond_it_all_differ_and_the_model_is_left_as_it_was",
    ),
    "laboratory: a broken file counts as done": (
        LAB + "results.py",
        "if path.stem != result.config.key:",
        "if False:",
        T + "results.py::test_a_broken_file_is_told_and_left_out",
    ),
    "laboratory: what is there is done again": (
        LAB + "sweep.py",
        "if results.kept(folder, config) is None]",
        "]",
        T + "sweep.py::test_results_come_in_order_and_what_is_there_is_not_done_again",
    ),
    "laboratory: one run that fails ends the sweep": (
        LAB + "sweep.py",
        "except Exception as error:",
        "except ValueError as error:",
        T + "sweep.py::test_a_run_that_fails_is_told_and_the_rest_goes_on",
    ),
    "laboratory: the first run is in no part": (
        LAB + "named.py",
        "configs[number - 1 :: parts]",
        "configs[number::parts]",
        T + "named.py::test_parts_are_all_of_it_once",
    ),
    "a plan: a layer's own encoding is not used": (
        "posviz/models/training.py",
        "encoding=encoding if self.encoding is None else self.encoding(),",
        "encoding=encoding,",
        "tests/models/test_training.py::test_layers_may_differ",
    ),
}
DEFAULT = {
    "laboratory: workers live on": (
        LAB + "sweep.py",
        "    threading.Thread(target=watch, daemon=True).start()\n",
        "",
        T + "sweep.py::test_no_worker_outlives_the_sweep",
    ),
    "laboratory: a worker that is killed takes its run along": (
        LAB + "sweep.py",
        "broken.append(config)",
        "pass",
        T + "sweep.py::test_a_worker_that_is_killed_loses_nothing",
    ),
}
