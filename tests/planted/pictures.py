"""Errors in pictures and styles, many of which only a sweep over settings sees."""

QUICK = {
    "map of the course: a formula multiplied out runs out of the card on paper": (
        "posviz/pictures/start/encoding_map.py",
        '"score(i, j) = ((qᵢ + u)·kⱼ + (qᵢ + v)·W r(i − j))/√d",',
        '"score(i, j) = qᵢ·kⱼ/√d + qᵢ·(W r(i − j))/√d + u·kⱼ/√d + v·(W r(i − j))/√d in all",',
        "tests/test_pictures.py::test_no_text_is_cut_off_or_overlaps[EncodingMap-paper-False]",
    ),
    "four terms: the caption has mathematics in dollars": (
        "posviz/pictures/order/four_terms.py",
        'f"(d_model = {arrays.d_model}) the position–position term lies',
        'f"($d_model$ = {arrays.d_model}) the position–position term lies',
        "tests/test_pictures.py::test_the_caption_is_one_sentence_of_plain_text[FourTerms]",
    ),
    "masked attention: more padding than tokens is forgotten": (
        "posviz/pictures/order/masked_attention.py",
        'length = self.seq_len - self.held("padding")',
        "length = self.seq_len - self.padding",
        "tests/test_pictures.py::test_every_setting_shows_what_a_fresh_figure_"
        "would[MaskedAttention]",
    ),
    "score variance: a label is wider than its panel on paper": (
        "posviz/pictures/order/score_variance.py",
        'xlabel=f"key, of {KEYS}, by weight"',
        'xlabel=f"key, of {KEYS}, from the largest weight to the smallest"',
        "tests/test_pictures.py::test_no_text_is_cut_off_or_overlaps[ScoreVariance-paper-False]",
    ),
    "learned table: labels of so many ticks run into each other on paper": (
        "posviz/pictures/learned/learned_table.py",
        "whole(cosines.xaxis, cosines.yaxis, most=3,",
        "whole(cosines.xaxis, cosines.yaxis, most=12,",
        "tests/test_pictures.py::test_no_text_is_cut_off_or_overlaps[LearnedTable-paper-False]",
    ),
    "sinusoidal beside learned: a knob that makes new artists is not declared so": (
        "posviz/pictures/learned/sinusoidal_beside_learned.py",
        'choice("similarity", options=tuple(LOOKS), redraw=True)',
        'choice("similarity", options=tuple(LOOKS))',
        "tests/test_pictures.py::test_update_reads_no_knob_and_draw_only_those_"
        "that_redraw[SinusoidalBesideLearned]",
    ),
    "parameter count: steps of the slider do not end at the widest": (
        "posviz/pictures/learned/parameter_count.py",
        "integer(768, low=64, high=12_288, step=64,",
        "integer(768, low=64, high=12_288, step=100,",
        "tests/test_pictures.py::test_default_values_are_allowed_and_ranges_"
        "make_sense[ParameterCount]",
    ),
    "why not integers: the caption has two sentences": (
        "posviz/pictures/sinusoidal/why_not_integers.py",
        'in both but grows to {arrays.length - 1}; over the length it is "',
        'in both but grows to {arrays.length - 1}. Over the length it is "',
        "tests/test_pictures.py::test_the_caption_is_one_sentence_of_plain_text[WhyNotIntegers]",
    ),
    "derivation stepper: letters are too large for a formula beside its value": (
        "posviz/pictures/rotary/derivation_stepper.py",
        "WORDS = 27.5  #",
        "WORDS = 23  #",
        "tests/test_pictures.py::test_no_text_is_cut_off_or_"
        "overlaps[DerivationStepper-paper-False]",
    ),
    "ALiBi slopes: heads are counted from 0 in the formula": (
        "posviz/pictures/alibi/alibi_slopes.py",
        "np.arange(1, self.num_heads + 1) / self.num_heads",
        "np.arange(self.num_heads) / self.num_heads",
        "tests/pictures/alibi/test_alibi_pictures.py::test_slopes_stand_in_the_"
        "released_order_beside_the_formula",
    ),
    "weight by distance: the weight of the key itself is the factor's loss of one step": (
        "posviz/pictures/alibi/weight_by_distance.py",
        "-np.expm1(-slopes)",
        "np.exp(-slopes)",
        "tests/pictures/alibi/test_alibi_pictures.py::test_the_audited_windows_of_eight_heads",
    ),
    "position maps: the trained length itself was seen in training": (
        "posviz/pictures/stretching/position_maps.py",
        "causal & kept & (looks >= self.trained)",
        "causal & kept & (looks > self.trained)",
        "tests/pictures/stretching/test_position_maps_picture.py::test_self_extend_reads_as_far_as_"
        "its_formula_says",
    ),
    "cache trap: at each step the query stands one position further on": (
        "posviz/pictures/stretching/cache_trap.py",
        "np.exp(1j * (STEPS - 1)[:, None] * speeds[STEPS - 1])",
        "np.exp(1j * STEPS[:, None] * speeds[STEPS - 1])",
        "tests/pictures/stretching/test_cache_trap.py::test_the_curve_of_errors_goes_through_the_"
        "marks",
    ),
    "config reader: what is pasted may be the path of any file": (
        "posviz/pictures/stretching/config_reader.py",
        'if start[:1] != "{":',
        "if not start:",
        "tests/pictures/stretching/test_config_reader.py::test_what_is_no_configuration_gets_one_"
        "line_and_no_curves",
    ),
    "score decay: an offset beyond the largest is not held there": (
        "posviz/pictures/rotary/score_decay.py",
        'offset = self.held("offset")',
        "offset = self.offset",
        "tests/pictures/rotary/test_score_decay.py::test_an_offset_beyond_the_largest_is_held_there",
    ),
    "cache debugger: a query one late is one early": (
        "posviz/pictures/rotary_code/cache_debugger.py",
        "q_at = positions + 1",
        "q_at = positions - 1",
        "tests/pictures/rotary_code/test_serving_pictures.py::test_each_mistake_is_"
        "that_of_a_slow_decoder[6-20-64-10000-True-2-query one late]",
    ),
    "turned tokens: the keys alone turn where the queries alone should": (
        "posviz/pictures/rotary/turned_tokens.py",
        'np.array([self.turned != "nothing", self.turned == "queries and keys"])',
        'np.array([self.turned == "queries and keys", self.turned != "nothing"])',
        "tests/pictures/rotary/test_rotary_pictures.py::test_weights_and_their_change_are_those_of_a_loop",
    ),
    "patch grid: raster order counts along columns": (
        "posviz/pictures/rotary2d/patch_grid.py",
        "rotary_angles(rows * self.grid + columns, inv_freq)",
        "rotary_angles(columns * self.grid + rows, inv_freq)",
        "tests/pictures/rotary2d/test_rotary2d_pictures.py::test_scores_and_their_words_"
        "are_those_of_a_loop[5-8-14-64-10-raster]",
    ),
    "DeBERTa terms: the clip ahead is drawn one key too far": (
        "posviz/pictures/relative/deberta_terms.py",
        "behind, ahead = clip - 1.5, 0.5 - clip",
        "behind, ahead = clip - 1.5, -0.5 - clip",
        "tests/pictures/relative/test_deberta_terms.py::test_deberta_terms_are_those_of_a_loop",
    ),
    "four relative terms: without a switch that is off, two terms are left out": (
        "posviz/pictures/relative/four_relative_terms.py",
        "_weights(terms[:3].sum(axis=0))",
        "_weights(terms[:2].sum(axis=0))",
        "tests/pictures/relative/test_relative_scores_pictures.py::test_four_terms_are_those_of_a_loop",
    ),
    "offset matrix: query and key are swapped": (
        "posviz/pictures/relative/offset_matrix.py",
        "rows = shaw_index(-apart, self.clip)",
        "rows = shaw_index(apart, self.clip)",
        "tests/pictures/relative/test_relative_pictures.py::test_each_pair_is_told_its_clipped_offset",
    ),
    "angle table: angles are shown from 0 on and then moved by half a turn": (
        "posviz/pictures/rotary/angle_table.py",
        "(angles + np.pi) % (2 * np.pi) - np.pi",
        "angles % (2 * np.pi) - np.pi",
        "tests/pictures/rotary/test_rotary_pictures.py::test_the_table_is_that_of_a_loop",
    ),
    "shuffled sentence: words between dollars are read as mathematics": (
        "posviz/pictures/order/shuffled_sentence.py",
        "labels=shortened, parse_math=False",
        "labels=shortened",
        "tests/pictures/order/test_shuffled_sentence.py::test_words_between_dollars_are_words",
    ),
    "precision lab: the cross of an overflow stands where nothing overflows": (
        "posviz/pictures/rotary_code/precision_lab.py",
        "if len(x) < len(RANGES):",
        "if len(x) <= len(RANGES):",
        "tests/pictures/rotary_code/test_precision_lab.py::"
        "test_the_cross_stands_only_where_something_overflows[cos and sin-0]",
    ),
    "turns in training: YaRN by turns blends by the index": (
        "posviz/pictures/stretching/_methods.py",
        '"YaRN by turns": "paper"',
        '"YaRN by turns": "code"',
        "tests/pictures/stretching/test_turns_in_training.py::"
        "test_the_caption_has_the_audited_numbers[YaRN by turns-kept5-0.4361]",
    ),
    "phases seen: an arc that ends where the trained one does is new": (
        "posviz/pictures/stretching/phases_seen.py",
        "(used > trained * (1 + 1e-9))",
        "(used >= trained)",
        "tests/pictures/stretching/test_phases_seen.py::"
        "test_the_caption_has_the_audited_counts[NTK-17-1.45]",
    ),
    "score curve: far means all that is not beyond the text": (
        "posviz/pictures/stretching/score_curve.py",
        "far = [scores[longer // 2 + 1 : longer + 1].mean() for scores in found]",
        "far = [scores[: longer + 1].mean() for scores in found]",
        "tests/pictures/stretching/test_scores_and_bases.py::"
        "test_the_means_that_are_told_are_those_of_a_loop",
    ),
    "base for context: the last distance before the first below 0 is told for it": (
        "posviz/pictures/stretching/base_for_context.py",
        "first = int((sums < 0).argmax())",
        "first = int((sums[1:] < 0).argmax())",
        "tests/pictures/stretching/test_scores_and_bases.py::"
        "test_the_first_distance_below_zero_is_that_of_a_loop[100-59]",
    ),
    "dispersal: the attention factor of YaRN multiplies scores once": (
        "posviz/pictures/stretching/dispersal.py",
        "original_max_seq_len=length).attention_factor ** 2",
        "original_max_seq_len=length).attention_factor",
        "tests/pictures/stretching/test_dispersal.py::test_the_square_of_yarns_attention_factor[2-1.1434]",
    ),
    "parts: a curve without points keeps those it had": (
        "posviz/pictures/parts.py",
        "        self.line.set_data(*self.show(arrays))",
        "        x, y = self.show(arrays)\n"
        "        if len(x):\n            self.line.set_data(x, y)",
        "tests/pictures/test_parts.py::test_a_curve_has_the_points_shown_and_none_of_those_before"
        "[Curve]",
    ),
    "sinusoidal table: names of sine and cosine columns exchanged": (
        "posviz/pictures/sinusoidal/sinusoidal_table.py",
        "columns = columns.reshape(-1, 2).T",
        "columns = columns.reshape(-1, 2).T[::-1]",
        "tests/pictures/sinusoidal/test_sinusoidal_pictures.py::test_the_marked_row_has_its_sines_and_cosines_at_their_columns[interleaved]",
    ),
    "clocks: hands begin at three and turn backwards": (
        "posviz/pictures/sinusoidal/wavelength_clocks.py",
        "np.stack([np.sin(angles), np.cos(angles)], axis=-1)",
        "np.stack([np.cos(angles), np.sin(angles)], axis=-1)",
        "tests/pictures/sinusoidal/test_sinusoidal_pictures.py::test_every_clock_shows_the_angle_of_its_pair",
    ),
    "shift: the arc is drawn the other way": (
        "posviz/pictures/sinusoidal/shift_is_rotation.py",
        "swept = self.position * inv_freq + np.linspace",
        "swept = self.position * inv_freq - np.linspace",
        "tests/pictures/sinusoidal/test_sinusoidal_pictures.py::test_a_pair_is_turned_clockwise_from_pos_to_pos_plus_k",
    ),
    "similarity: the first fall is told for the first rise": (
        "posviz/pictures/sinusoidal/similarity_by_offset.py",
        "np.diff(similarity) > 0",
        "np.diff(similarity) < 0",
        "tests/pictures/sinusoidal/test_sinusoidal_pictures.py::test_similarity_is_the_mean_cosine_and_its_first_rise_is_told[64]",
    ),
    "masked attention: positions count the padding": (
        "posviz/pictures/order/masked_attention.py",
        "np.arange(self.seq_len) - (self.seq_len - length), 0)",
        "np.arange(self.seq_len), 0)",
        "tests/pictures/order/test_order_pictures.py::test_who_looks_at_whom_and_padding_comes_first[causal]",
    ),
    "score variance: divided by the root, as if it were no square": (
        "posviz/pictures/order/score_variance.py",
        "variances / DIMS\n",
        "variances / DIMS**0.5\n",
        "tests/pictures/order/test_order_pictures.py::test_scores_vary_by_head_dim_and_by_1_when_they_are_divided_by_its_root",
    ),
    "rotating vectors: a name of the legend is the other's": (
        "posviz/pictures/rotary/rotating_vectors.py",
        '(ALONG, a.alone), "q alone moves")',
        '(a.queries, a.both), "q alone moves")',
        "tests/pictures/test_legends.py::test_a_score_swings_where_q_moves_alone_and_stands_still_"
        "where_both_move",
    ),
    "same X: what is moved is counted where it goes and where it comes from": (
        "posviz/pictures/choosing/same_x.py",
        "/ 2 / len(PLACES)",
        "/ len(PLACES)",
        "tests/pictures/choosing/test_choosing_pictures.py::test_the_weight_that_an_encoding_moves_is_counted_once_and_told",
    ),
}

DEFAULT = {
    "same on every device: the length may be 0": (
        "posviz/pictures/start/same_on_every_device.py",
        "seq_len = integer(128, low=2, high=LONGEST)",
        "seq_len = integer(128, low=0, high=LONGEST)",
        "tests/test_pictures.py::test_every_setting_shows_what_a_fresh_figure_"
        "would[SameOnEveryDevice]",
    ),
    "counter to clock: clocks are ellipses on paper": (
        "posviz/pictures/sinusoidal/counter_to_clock.py",
        'aspect="equal", title="clock hands")',
        'title="clock hands")\n'
        '        dials.set_aspect("equal" if figure.get_size_inches()[0] > 5 else "auto")',
        "tests/test_every_figure.py::test_a_circle_is_round[CounterToClock-paper]",
    ),
    "parts: curves are part of the background": (
        "posviz/pictures/parts.py",
        "axes.plot([], [], fmt, label=label, animated=True, **more)",
        "axes.plot([], [], fmt, label=label, **more)",
        "tests/test_pictures.py::test_every_knob_moves_the_picture_and_some_no_"
        "background[CounterToClock]",
    ),
    "rotating vectors: two curves are told apart by blue and green alone": (
        "posviz/pictures/rotary/rotating_vectors.py",
        '"C2--", lambda a: (a.queries',
        '"C2-", lambda a: (a.queries',
        "tests/test_every_figure.py::test_curves_differ_for_everyone_in_colour_"
        "or_in_strokes[RotatingVectors]",
    ),
    "mrope sections: a text is too small for a slide": (
        "posviz/pictures/rotary2d/mrope_sections.py",
        'set_xlabel("column", color="C2")',
        'set_xlabel("column", color="C2", size="x-small")',
        "tests/test_pictures.py::test_no_text_is_cut_off_or_overlaps[MropeSections-slide-False]",
    ),
    "xPos curves: the decay becomes an image in an SVG": (
        "posviz/pictures/xpos/xpos_curves.py",
        "lambda a: a.decay, decay_label)",
        "lambda a: a.decay, decay_label, rasterized=True)",
        "tests/test_every_figure.py::test_every_style_and_format_opens_elsewhere[XposCurves]",
    ),
    "poster: the legend has the size of a title and more": (
        "posviz/engine/styles/poster.mplstyle",
        "legend.fontsize: 22",
        "legend.fontsize: 32",
        "tests/test_pictures.py::test_no_text_is_cut_off_or_overlaps[BlockwiseMask-poster-False]",
    ),
    "learned tables: no room against wrap-around in the Fourier transform": (
        "posviz/pictures/learned/_tables.py",
        "size = 2 ** int(np.ceil(np.log2(2 * count)))",
        "size = count",
        "tests/pictures/learned/test_learned_pictures.py::test_the_nearest_snapshot_is_shown[0-0-False]",
    ),
    "xPos decay: the half-life is that of the natural scale": (
        "posviz/pictures/xpos/xpos_decay.py",
        "half_lives=self.scale_base * np.log(0.5) / np.log(zeta),",
        "half_lives=self.scale_base * -1 / np.log(zeta),",
        "tests/pictures/xpos/test_xpos_pictures.py::test_half_of_the_factor_is_left_at_the_half_life",
    ),
    "xPos overflow: centred positions reach half as far instead of twice": (
        "posviz/pictures/xpos/xpos_overflow.py",
        "/ (2 if self.centred else 1)  # for each token",
        "* (2 if self.centred else 1)  # for each token",
        "tests/pictures/xpos/test_xpos_reach_pictures.py::test_keys_overflow_on_"
        "either_side_of_the_mark_and_not_before[True]",
    ),
    "dense line: what stands at the very end is left out": (
        "posviz/pictures/dense_line.py",
        "between[-2] = max(between[-2:])  #",
        "#",
        "tests/pictures/test_dense_line.py::test_the_area_is_that_of_a_round_pen[0.6-spire]",
    ),
    "three doors: a way in that was dotted once stays dotted": (
        "posviz/pictures/start/three_doors.py",
        'self.way.set(color=edge, linestyle="-" if lit else ":")',
        'self.way.set(color=edge)\n        if not lit:\n            self.way.set_linestyle(":")',
        "tests/test_pictures.py::test_every_setting_shows_what_a_fresh_figure_would[ThreeDoors]",
    ),
    "parts: limits are set at the first update only": (
        "posviz/pictures/parts.py",
        "if (value := self.show(arrays)) != self.last:",
        "if (value := self.show(arrays)) and self.last is None:",
        "tests/test_pictures.py::test_every_setting_shows_what_a_fresh_figure_"
        "would[SimilarityByOffset]",
    ),
    "layout converter: marks shrink at every other head_dim and never grow again": (
        "posviz/pictures/rotary_code/layout_converter.py",
        'lambda a: {"markersize": size * min(1, 8 / a.head_dim) ** 0.6}',
        'lambda a: {"markersize": part.line.get_markersize() * min(1, 8 / a.head_dim) ** 0.6}',
        "tests/test_pictures.py::test_every_setting_shows_what_a_fresh_figure_"
        "would[LayoutConverter]",
    ),
    "T5 buckets: max_distance may be that of the exact buckets": (
        "posviz/pictures/relative/t5_buckets.py",
        "max(self.max_distance, exact + 1)",
        "max(self.max_distance, exact)",
        "tests/test_pictures.py::test_every_setting_shows_what_a_fresh_figure_would[T5Buckets]",
    ),
    "blockwise mask: a query beyond the last is not held there": (
        "posviz/engine/knobs.py",
        "return min(super().held(picture), self.end(picture))",
        "return super().held(picture)",
        "tests/test_pictures.py::test_every_setting_shows_what_a_fresh_figure_would[BlockwiseMask]",
    ),
    "a film's knob stays where it is": (
        "posviz/engine/animation.py",
        "setattr(self.picture, self.knob, value)",
        "pass",
        "tests/test_every_figure.py::test_what_an_animation_moves_is_seen[TwoHands]",
    ),
    "every style: fonts of a PDF are Type 3": (
        "posviz/engine/styles/base.mplstyle",
        "pdf.fonttype: 42",
        "pdf.fonttype: 3",
        "tests/test_every_figure.py::test_every_style_and_format_opens_elsewhere[ThreeDoors]",
    ),
}
