"""Errors in the scripts, style sheets and templates that act in the browser."""

from posviz.course import OF_TOPIC

QUICK = {
    "slider: exported by name, as no widget is read": (
        "posviz/engine/slider.js",
        "export default { render };",
        "export { render };",
        "tests/engine/test_scripts.py::test_a_widget_imports_nothing_and_has_one_export[Slider]",
    ),
    "page.html.j2: the alternative text of a figure is not escaped": (
        "posviz/publish/page.html.j2",
        'get_metadata("alt", "image/png") | e }}',
        'get_metadata("alt", "image/png") }}',
        "tests/publish/test_page.py::test_every_image_is_in_the_page_and_has_alternative_text",
    ),
    "slides.html.j2: the title in the head is taken for HTML": (
        "posviz/publish/slides.html.j2",
        "<title>{{ title }}",
        "<title>{{ title | safe }}",
        "tests/publish/test_slides.py::test_what_is_written_is_escaped_and_"
        "links_to_notebooks_are_words",
    ),
}

DEFAULT = {
    "slider: Reset does not stop Play": (
        "posviz/engine/slider.js",
        "if (message.stop) pause();",
        "if (message.stop) line.flush();",
        "tests/browser/test_explorer_in_lab.py::test_reset_stops_play_and_holds",
    ),
    "slider: Play from the end forgets the first place": (
        "posviz/engine/slider.js",
        "      slider.valueAsNumber = 0;\n      move();\n    }",
        "      slider.valueAsNumber = 0;\n    }",
        "tests/browser/test_explorer_in_lab.py::test_play_from_the_end_begins_with_the_first_place",
    ),
    "slider: the last place cannot be reached": (
        "posviz/engine/slider.js",
        'slider.max = String(model.get("last_place"));',
        'slider.max = String(model.get("last_place") - 1);',
        "tests/browser/test_explorer_in_lab.py::test_play_plays_to_the_end",
    ),
    "slider: Escape under its old name": (
        "posviz/engine/slider.js",
        'if (key === "Escape") giveUp();',
        'if (key === "Esc") giveUp();',
        "tests/browser/test_explorer_in_lab.py::test_the_exact_value_can_be_typed",
    ),
    "slider: Play repeats unless it is told to": (
        "posviz/engine/slider.js",
        '    if (atEnd && again.getAttribute("aria-pressed") !== "true") return pause();',
        '    if (atEnd && again.getAttribute("aria-pressed") === "true") return pause();',
        "tests/browser/test_explorer_in_lab.py::test_play_repeats_when_it_is_told_to",
    ),
    "screen: shortcuts are kept off the picture only, not off its controls": (
        "posviz/engine/screen.js",
        'canvas.closest(".posviz-explorer")?.contains',
        'canvas.closest(".posviz-screen")?.contains',
        "tests/browser/test_explorer_in_lab.py::test_keys_stay_with_the_control_that_has_the_focus",
    ),
    "room: the picture is drawn for another density than it is shown in": (
        "posviz/engine/room.js",
        "const ratio = globalThis.devicePixelRatio * this.#scale;",
        "const ratio = globalThis.devicePixelRatio;",
        "tests/browser/test_explorer_in_lab.py::test_a_dense_screen_gets_dense_pixels[2]",
    ),
    "slider: an idle one can be moved": (
        "posviz/engine/slider.js",
        'slider.disabled = idle !== "";',
        "slider.disabled = false;",
        "tests/browser/test_explorer_in_lab.py::test_a_control_offers_what_other_knobs_leave_of_it",
    ),
    "prompts: Notice never opens": (
        "posviz/engine/prompts.js",
        'for (const event of ["input", "click"])',
        "for (const event of [])",
        "tests/browser/test_explorer_in_lab.py::"
        "test_try_stands_over_the_controls_and_notice_opens_once_something_moved",
    ),
    "room: the caption is forgotten": (
        "posviz/engine/room.js",
        "const rest = asked + controls.offsetHeight + caption + GAPS;",
        "const rest = asked + controls.offsetHeight + GAPS;",
        "tests/browser/test_notebooks_in_lab.py::"
        "test_a_notebook_runs_tells_what_is_stored_and_sliders_move_every_picture[00_start_here]",
    ),
    "screen: a silent kernel is told ten times too late": (
        "posviz/engine/screen.js",
        "const SILENT = 8000;",
        "const SILENT = 80000;",
        "tests/browser/test_explorer_in_lab.py::test_an_explorer_says_so_when_"
        "its_kernel_falls_silent_and_wakes_when_it_answers",
    ),
    "screen: a gap in the numbers of frames passes": (
        "posviz/engine/screen.js",
        "message.frame !== first + i",
        "message.frame < first + i",
        "tests/browser/test_fidelity.py::test_a_frame_that_was_lost_is_asked_for_again",
    ),
    "filmstrip: the still stays beside the living picture": (
        "posviz/engine/filmstrip.js",
        "    still.hidden = true;\n",
        "",
        "tests/browser/test_slides.py::test_nothing_overflows_and_all_can_be_"
        f"read_and_all_formulas_are_typeset[{OF_TOPIC['sinusoidal'].notebook}]",
    ),
    "filmstrip: a telephone is given the wide frames": (
        "posviz/engine/filmstrip.js",
        "telephone ? narrow : frames",
        "telephone ? frames : narrow",
        "tests/browser/test_pages.py::"
        f"test_on_a_telephone_nothing_is_wider_and_pictures_are_narrow[{OF_TOPIC['rotary'].notebook}]",
    ),
    "filmstrip: the header's length is read with the wrong byte first": (
        "posviz/engine/filmstrip.js",
        "getUint32(0, true)",
        "getUint32(0)",
        "tests/browser/test_slides.py::test_play_plays_by_keyboard_and_the_slide_stays",
    ),
    "filmstrip: the frame that changes most is the nearest": (
        "posviz/engine/filmstrip.js",
        "moved(frame) < moved(best)",
        "moved(frame) > moved(best)",
        "tests/browser/test_pages.py::test_settings_that_belong_together_stay",
    ),
    "filmstrip: a control stays where it is when another brings it along": (
        "posviz/engine/filmstrip.js",
        "    for (const knob of others) stands[knob](places[knob]);\n",
        "",
        "tests/browser/test_pages.py::"
        "test_a_setting_goes_back_when_another_is_moved_and_the_page_says_so",
    ),
    "slides.js: a remote's next key stays in the picture": (
        "posviz/publish/slides.js",
        '["PageUp", "PageDown", "Escape"]',
        '["PageUp", "Escape"]',
        "tests/browser/test_slides.py::test_a_slider_takes_the_keys_it_needs_"
        "and_a_remote_goes_on[(1280, 720)]",
    ),
    "slides.js: slides of 16 to 10": (
        "posviz/publish/slides.js",
        "height: 1080,",
        "height: 1200,",
        "tests/browser/test_slides.py::test_on_paper_each_slide_is_a_page_with_its_picture_and_light",
    ),
    "slides.js: formulas are never set": (
        "posviz/publish/slides.js",
        "  await MathJax.typesetPromise();\n",
        "",
        "tests/browser/test_slides.py::test_nothing_overflows_and_all_can_be_"
        f"read_and_all_formulas_are_typeset[{OF_TOPIC['rotary'].notebook}]",
    ),
    "slides.css: the dark ink is forgotten": (
        "posviz/publish/slides.css",
        "--background: #1b1e23; --ink: #ececec;",
        "--background: #1b1e23; --ink: #1b1e23;",
        "tests/browser/test_slides.py::test_dark_where_the_reader_has_it_dark",
    ),
    "slides.css: sliders are too small to be read": (
        "posviz/publish/slides.css",
        "zoom: 2;",
        "zoom: 1.5;",
        "tests/browser/test_slides.py::test_nothing_overflows_and_all_can_be_"
        f"read_and_all_formulas_are_typeset[{OF_TOPIC['sinusoidal'].notebook}]",
    ),
    "slides.css: a wide formula keeps its width": (
        "posviz/publish/slides.css",
        " svg { max-width: 100%; height: auto; }",
        " svg { height: auto; }",
        "tests/browser/test_slides.py::test_nothing_overflows_and_all_can_be_"
        f"read_and_all_formulas_are_typeset[{OF_TOPIC['order'].notebook}]",
    ),
}
