"""Errors in what draws, records, shows and saves a picture."""

QUICK = {
    "export: the line in a file forgets its font": (
        "posviz/engine/export.py",
        '"layout": layout, "font": font}',
        '"layout": layout}',
        "tests/engine/test_export.py::test_the_line_in_a_file_makes_the_same_bytes[all-svg]",
    ),
    "style: a part of a slide is as large as the slide": (
        "posviz/engine/style.py",
        "_LAYOUT_DPI = 1.65,",
        "_LAYOUT_DPI = 2.1,",
        "tests/engine/test_style.py::test_letters_have_nine_points_on_a_frame_of_beamer[body]",
    ),
    "a layout keeps the last bits of its solver": (
        "posviz/engine/picture.py",
        ".bounds, 12)",
        ".bounds, 17)",
        "tests/engine/test_picture.py::test_a_layout_has_no_more_digits_than_every_run_finds",
    ),
    "a layout is kept for all styles": (
        "posviz/engine/picture.py",
        "self._lay_out(figure, (style, size))",
        "self._lay_out(figure, ())",
        "tests/engine/test_picture.py::test_a_layout_is_kept_for_its_own_picture_style_and_artists",
    ),
    "a layout is kept for all numbers of artists": (
        "posviz/engine/picture.py",
        "for name, knob in self.knobs().items() if knob.redraw)\n        if key",
        "for name, knob in self.knobs().items() if 0)\n        if key",
        "tests/engine/test_picture.py::test_a_layout_is_kept_for_its_own_picture_style_and_artists",
    ),
    "a layout is kept for all data of a picture": (
        "posviz/engine/picture.py",
        "_layouts.setdefault(self if self._data else type(self), {})",
        "_layouts.setdefault(type(self), {})",
        "tests/engine/test_picture.py::test_a_layout_is_kept_for_its_own_picture_style_and_artists",
    ),
    "a film of a number stops one place before its end": (
        "posviz/engine/knobs.py",
        "last, count = self.last_place, min(most, self.last_place + 1)",
        "last, count = self.last_place, min(most, self.last_place)",
        "tests/engine/test_knobs.py::test_the_stops_of_a_film_go_from_end_to_end",
    ),
    "typed text keeps the character that turns the reading direction": (
        "posviz/engine/knobs.py",
        'if unicodedata.category(c)[0] != "C")',
        'if unicodedata.category(c) != "Cc")',
        "tests/engine/test_knobs.py::test_text_loses_control_characters[\\u202e]",
    ),
    "a palette is made for large areas alone": (
        "posviz/engine/export.py",
        "np.ceil(counts[others] ** 0.5)",
        "np.ceil(counts[others] ** 1.0)",
        "tests/engine/test_export.py::test_a_smooth_map_is_smooth_in_a_notebook",
    ),
    "a paper figure has the notebook's size": (
        "posviz/engine/picture.py",
        '"paper": self.paper_size',
        '"paper": self.size',
        "tests/engine/test_picture.py::test_a_style_decides_size_and_background[False-paper-size2]",
    ),
    "a figure drawn later forgets that it is dark": (
        "posviz/engine/styled_figure.py",
        "with style_context(*self._look):",
        "with style_context(self._look[0]):",
        "tests/engine/test_style.py::test_a_figure_keeps_its_style_wherever_it_is_drawn[True]",
    ),
    "two threads change the settings at once": (
        "posviz/engine/style.py",
        "    with drawing:\n",
        "    with contextlib.nullcontext():\n",
        "tests/engine/test_threads.py::test_two_threads_in_two_styles_leave_"
        "the_settings_as_they_were[slide]",
    ),
    "a text in a box is taken for one that says when it moved": (
        "posviz/engine/layers.py",
        "text.get_bbox_patch() is None and not text.get_path_effects()",
        "not text.get_path_effects()",
        "tests/engine/test_layers.py::test_what_moves_without_a_word_is_recorded_anew[boxed]",
    ),
    "what changed at rest stays in the background": (
        "posviz/engine/layers.py",
        "self._moved |= new",
        "pass",
        "tests/engine/test_layers.py::test_the_background_has_a_new_token_when_it_was_"
        "redrawn_and_then_alone",
    ),
    "an axis whose label changed is taken for one at rest": (
        "posviz/engine/layers.py",
        "any(part.stale for part in parts)",
        "artist.stale",
        "tests/engine/test_layers.py::test_layers_give_the_pixels_of_a_full_draw[axis_label]",
    ),
    "the colour's own alpha wins over a forced one": (
        "posviz/engine/recorder.py",
        "given = len(face) == 4 and not gc.get_forced_alpha()",
        "given = len(face) == 4",
        "tests/engine/test_recorder.py::test_whose_alpha_counts[face1-0.4]",
    ),
    "the least sharp view decides": (
        "posviz/engine/screen.py",
        "max(v.ratio for v in self.views.values())",
        "min(v.ratio for v in self.views.values())",
        "tests/engine/test_screen.py::test_the_sharpest_screen_decides_up_to_four",
    ),
    "the reason for a missing device is not escaped": (
        "posviz/engine/controls.py",
        "note = widgets.HTML(html.escape(why))",
        "note = widgets.HTML(why)",
        "tests/engine/test_controls.py::test_absent_devices_are_named_with_the_reason",
    ),
    "a typed value passes the end that another knob sets": (
        "posviz/engine/slider.py",
        "if self._end < value <= self.knob.high:",
        "if self._end < value < self._end:",
        "tests/engine/test_slider.py::"
        "test_a_range_that_another_knob_shortens_is_shown_shortened_and_comes_back",
    ),
    "the last place of a shortened range lies below its end": (
        "posviz/engine/knobs.py",
        "bisect.bisect_left(self._places, value)",
        "bisect.bisect_right(self._places, value) - 1",
        "tests/engine/test_slider.py::test_a_shortened_end_is_the_last_place_whatever_number_it_is",
    ),
    "a slider's range is written without thousands commas": (
        "posviz/engine/slider.py",
        "from {self.knob.low:,} to {self._end:,}",
        "from {self.knob.low} to {self._end}",
        "tests/engine/test_slider.py::test_it_knows_label_range_and_number_of_places[base]",
    ),
    "the text to copy never reaches the browser": (
        "posviz/engine/copy_button.py",
        "text = traitlets.Unicode().tag(sync=True)",
        "text = traitlets.Unicode()",
        "tests/engine/test_copy_button.py::test_the_browser_has_label_and_text_before_the_click",
    ),
    "a closed panel goes on following the picture": (
        "posviz/engine/export_panel.py",
        "self.picture.observe if change.new else self.picture.unobserve",
        "self.picture.observe",
        "tests/engine/test_export_panel.py::test_the_line_follows_the_knobs_"
        "only_while_the_panel_is_open",
    ),
    "bold text brings the glyphs of the plain font": (
        "posviz/engine/svg.py",
        "style=style, weight=int(weight))",
        "style=style)",
        "tests/engine/test_svg.py::test_weight_style_and_family_bring_their_own_file[style0-face0]",
    ),
    "the stored picture is as dark as the page": (
        "posviz/engine/explorer.py",
        "still = LiveFigure(self.picture)",
        "still = LiveFigure(self.picture, dark=self.live.dark)",
        "tests/engine/test_explorer.py::test_the_stored_picture_is_light_on_a_dark_page",
    ),
    "another extension's websocket is thrown away": (
        "posviz/engine/server.py",
        "without_delay(settings.get(name) or getattr(app, name))",
        "without_delay(getattr(app, name))",
        "tests/engine/test_server.py::test_whatever_connection_the_server_uses_"
        "gets_no_delay[settings]",
    ),
    "an image that is not clipped is cut at its axes": (
        "posviz/engine/cells.py",
        "if image.get_clip_on():",
        "if True:",
        "tests/engine/test_cells.py::test_an_image_in_a_subfigure[False]",
    ),
    "a choice gives back what merely equals its option": (
        "posviz/engine/knobs.py",
        "return self.options[self.options.index(value)]",
        "return value if self.options.index(value) >= 0 else None",
        "tests/engine/test_knobs.py::test_options_of_a_choice_come_back_as_they_are",
    ),
    "a finished figure keeps its artists animated": (
        "posviz/engine/picture.py",
        "artist.set_animated(False)",
        "artist.stale = True",
        "tests/engine/test_picture.py::test_a_figure_is_plain_and_its_own",
    ),
    "texts keep the renderer that drew them": (
        "posviz/engine/styled_figure.py",
        "text._renderer = None  #",
        "text.stale = True  #",
        "tests/engine/test_styled_figure.py::test_a_figure_that_is_shown_keeps_no_bitmap",
    ),
    "a frame names the row behind an artist's rows": (
        "posviz/engine/frames.py",
        "entries.append([index, rows, images, recording.calls])\n"
        "        rows += len(recording.vertices) // _BYTES_PER_ROW",
        "rows += len(recording.vertices) // _BYTES_PER_ROW\n"
        "        entries.append([index, rows, images, recording.calls])",
        "tests/engine/test_frames.py::test_after_forgetting_everything_is_sent_again",
    ),
    "a checksum of a PNG leaves out the chunk's name": (
        "posviz/engine/frames.py",
        "zlib.crc32(kind + body)",
        "zlib.crc32(body)",
        "tests/engine/test_frames.py::test_a_background_redrawn_comes_with_everything_over_it",
    ),
    "a refused value stays in its widget": (
        "posviz/engine/controls.py",
        "self.widget.value = before",
        "pass",
        "tests/engine/test_controls.py::test_a_refused_value_is_reported_and_taken_back",
    ),
    "stop does not drop what is under way": (
        "posviz/engine/slider.py",
        "self._change += 1\n        self._tell(stop=True)",
        "self._tell(stop=True)",
        "tests/engine/test_slider.py::test_stop_is_told_and_drops_what_was_under_way",
    ),
    "a file name of a hundred characters is refused": (
        "posviz/engine/places.py",
        "len(stem) > 100",
        "len(stem) >= 100",
        "tests/engine/test_places.py::test_a_plain_name_is_a_file_in_the_"
        "folder[xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx]",
    ),
    "a character is brought by every font that has it": (
        "posviz/engine/svg.py",
        "add(character)\n                        break",
        "add(character)",
        "tests/engine/test_svg.py::test_a_character_comes_from_the_first_font_that_has_it",
    ),
    "styles of closed widgets stay": (
        "posviz/engine/explorer.py",
        'for part in ("layout", "style"):',
        'for part in ("layout",):',
        "tests/engine/test_explorer.py::test_closing_leaves_no_widget_and_no_observer",
    ),
    "a comma before two digits, too, is dropped from what is typed": (
        "posviz/engine/knobs.py",
        're.sub(r",(?=\\d{3}(\\D|$))", "", text)',
        'text.replace(",", "")',
        "tests/engine/test_slider.py::test_what_is_no_allowed_number_is_"
        "refused_and_changes_nothing[base-1,00-a number between 10 and 10,000]",
    ),
    "Reset begins again with the figure that is shown alone": (
        "posviz/engine/live_figure.py",
        "            layers.begin_again()",
        "            self.layers.begin_again()",
        "tests/engine/test_explorer.py::test_reset_draws_what_is_at_rest_into_the_bitmap_again"
        "[another figure]",
    ),
    "a slider leaves out where the picture stands": (
        "posviz/engine/sweeps.py",
        "[start[name], *told]",
        "told",
        "tests/engine/test_sweeps.py::test_what_belongs_together_is_there_in_every_combination",
    ),
    "a knob that waits for others moves alone": (
        "posviz/engine/sweeps.py",
        "(*knob.when, name) if knob.idle(picture) else (name,)",
        "(name,)",
        "tests/engine/test_sweeps.py::test_a_knob_that_waits_brings_along_what_it_waits_for",
    ),
    "a page's slider goes beyond the end": (
        "posviz/engine/sweeps.py",
        "end = max(knob.end(standing(values)) for values in found)",
        "end = knob.high",
        "tests/engine/test_sweeps.py::test_a_slider_ends_where_the_picture_ends_it[2]",
    ),
}

DEFAULT = {
    "export: a reader's own picture is under the course's licence": (
        "posviz/engine/export.py",
        'type(picture).__module__.startswith("posviz.")',
        "bool(picture)",
        "tests/engine/test_export.py::test_title_caption_and_python_line_go_"
        "with_the_file[pdf-the cat]",
    ),
    "axes that are hidden are drawn over what moves": (
        "posviz/engine/layers.py",
        "elif artist.get_visible():\n            yield from",
        "else:\n            yield from",
        "tests/engine/test_layers.py::test_layers_give_the_pixels_of_a_full_"
        "draw[hidden_twin_above]",
    ),
    "a frame counts the images of an artist as one": (
        "posviz/engine/frames.py",
        "images += len(recording.images)",
        "images += 1",
        "tests/engine/test_recorder.py::test_a_picture_of_every_kind_is_replayed[100]",
    ),
    "a rasterised image goes as cells": (
        "posviz/engine/recorder.py",
        "if image.get_rasterized():\n            self.start_rasterizing()",
        "if False:\n            self.start_rasterizing()",
        "tests/engine/test_fallback.py::test_from_the_frame_on_in_which_it_"
        "appears_there_are_pixels[Unfaithful: a rasterised artist-how9]",
    ),
    "a PDF's subject and keywords are swapped": (
        "posviz/engine/export.py",
        '("Title", "Subject", "Keywords",',
        '("Title", "Keywords", "Subject",',
        "tests/engine/test_export.py::test_title_caption_and_python_line_go_"
        "with_the_file[pdf-the cat]",
    ),
    "a poster lies on its side": (
        "posviz/engine/style.py",
        '"poster": (18.0, 12.0)',
        '"poster": (12.0, 18.0)',
        "tests/engine/test_export.py::test_every_format_in_every_look_has_its_"
        "size[png-poster-False]",
    ),
    "figures of all options are kept": (
        "posviz/engine/live_figure.py",
        "if len(self._built) > KEPT:",
        "if len(self._built) > 2 * KEPT:",
        "tests/engine/test_live_figure.py::test_a_figure_comes_back_with_its_value_and_few_are_kept",
    ),
    "half-moved artists are kept after an error": (
        "posviz/engine/live_figure.py",
        "self.release()  # half of the artists may have moved",
        "pass",
        "tests/engine/test_live_figure.py::test_an_error_half_way_releases_the_figure_"
        "and_the_next_one_is_whole",
    ),
    "dashes are as long in pixels as in points": (
        "posviz/engine/recorder.py",
        "[self.points_to_pixels(length) for length in dashes]",
        "list(dashes)",
        "tests/engine/test_recorder.py::test_a_picture_of_every_kind_is_replayed[200]",
    ),
    "who reads text is forgotten at the next message": (
        "posviz/engine/screen.py",
        'self._plain or message.get("plain", False)',
        'message.get("plain", False)',
        "tests/engine/test_screen.py::test_a_host_that_loses_what_is_binary_gets_it_as_text",
    ),
    "a PNG after an SVG has the SVG's density": (
        "posviz/engine/export.py",
        "figure.set_dpi(dpi)  # which",
        "# which",
        "tests/engine/test_export.py::test_one_figure_for_several_files_gives_"
        "what_each_gives_alone",
    ),
    "a link names an encoding in place of the type": (
        "posviz/engine/export_panel.py",
        "mime, _ = ",
        "_, mime = ",
        "tests/engine/test_export_panel.py::test_save_writes_a_file_and_the_link_holds_a_copy[svg]",
    ),
    "alpha is not applied to a heatmap's colours": (
        "posviz/engine/cells.py",
        "colours[:, 3] *= alpha",
        "pass",
        "tests/engine/test_recorder.py::test_a_picture_of_every_kind_is_replayed[100]",
    ),
    "tick labels made in update are dark on a dark figure": (
        "posviz/engine/picture.py",
        "with style_context(style, dark):\n            self.update(artists, arrays)",
        "with style_context(style):\n            self.update(artists, arrays)",
        "tests/engine/test_animation.py::test_every_frame_of_a_gif_is_the_figure_at_its_stop[True]",
    ),
    "a poster has the dots of a slide": (
        "posviz/engine/style.py",
        '"poster": 150',
        '"poster": 144',
        "tests/test_every_figure.py::test_every_style_and_format_opens_elsewhere[RotaryScores]",
    ),
    "a live figure takes a notebook's dots in every style": (
        "posviz/engine/live_figure.py",
        "density = dpi(self.style) * self.ratio",
        'density = dpi("notebook") * self.ratio',
        "tests/engine/test_animation.py::test_its_size_is_that_of_the_style_"
        "but_never_wider_than_a_screen[slide-size1]",
    ),
    "a film shows its far end twice": (
        "posviz/engine/animation.py",
        "way + way[-2:0:-1]",
        "way + way[-1:0:-1]",
        "tests/engine/test_animation.py::test_the_loop_turns_back_at_the_ends_"
        "of_numbers_and_goes_round_options",
    ),
    "a GIF's delay is given in hundredths of a second": (
        "posviz/engine/animation.py",
        "duration=10 * delay",
        "duration=delay",
        "tests/engine/test_animation.py::test_it_goes_round_for_ever_at_a_"
        "speed_that_can_be_followed[lines-6-100]",
    ),
}
