"""Errors in the commands, in pages, slides and notebooks, and in what stands between."""

from posviz.course import OF_TOPIC

QUICK = {
    "slides: frames for a telephone lie beside them": (
        "posviz/publish/assets.py",
        'width == "narrow" and not narrow',
        'width == "narrow" and narrow is None',
        "tests/publish/test_assets.py::test_frames_lie_beside_a_page_which_names_them[False]",
    ),
    "slides: a heading alone keeps its slide": (
        "posviz/publish/slides.py",
        "    if not before.shown:\n        return True\n",
        "    if not before.shown:\n        return False\n",
        "tests/publish/test_slides.py::test_what_only_announces_a_picture_stands_on_its_slide",
    ),
    "slides: what a skipped exercise shows is on the slide before": (
        "posviz/publish/slides.py",
        'skipped = mark == "skip" or (skipped and mark == "-" and cell.cell_type == "code")',
        'skipped = mark == "skip"',
        "tests/publish/test_slides.py::"
        "test_a_skipped_cell_takes_along_what_its_code_shows_and_no_words",
    ),
    "speaker: every knob counts as moved by the slide": (
        "posviz/publish/speaker.py",
        "known, moved = kind.knobs(), kind.filmed_knobs()",
        "known, moved = kind.knobs(), tuple(kind.knobs())",
        "tests/publish/test_speaker.py::"
        "test_what_names_a_knob_that_the_slide_does_not_move_is_for_the_notebook",
    ),
    "run.py: the old stamp stays while pip installs": (
        "run.py",
        "        part.stamp().unlink(missing_ok=True)\n",
        "        part.stamp()\n",
        "tests/test_run.py::test_changed_requirements_are_installed_into_the_same_environment"
        "[constraints.txt]",
    ),
    "run.py: a project that has moved keeps its environment": (
        "run.py",
        'and stamp.read_text().startswith(home() + "\\n")',
        "",
        "tests/test_run.py::test_a_moved_project_and_a_vanished_python_are_set_up_anew",
    ),
    "run.py: --ServerApp.port is not read": (
        "run.py",
        'if name in ("--port", "--ServerApp.port"):',
        'if name == "--port":',
        "tests/test_run.py::test_a_taken_port_is_said_before_anything_is_made[--ServerApp.port={}]",
    ),
    "run.py: any success among the commands counts as Chromium installed": (
        "run.py",
        "if any(call(command) != 0",
        "if all(call(command) != 0",
        "tests/test_run.py::test_chromium_is_installed_when_absent[True-apt-get]",
    ),
    "main: a folder below a file is taken for one to be made": (
        "posviz/commands/common.py",
        "except FileNotFoundError:  # it",
        "except (FileNotFoundError, NotADirectoryError):  # it",
        "tests/test___main__.py::test_a_wrong_argument_is_one_line_and_nothing_is_done",
    ),
    "proof: a circle may be twice as wide as high": (
        "posviz/publish/faults.py",
        "rtol=1e-6",
        "rtol=1",
        "tests/publish/test_faults.py::test_a_circle_must_be_round[auto]",
    ),
    "proof: a warning is lost": (
        "posviz/publish/proof.py",
        '    found += [f"{each.category.__name__}: {each.message}" for each in warned]\n',
        "",
        "tests/publish/test_proof.py::test_a_warning_is_a_fault",
    ),
    "rerun: any other text counts as another time": (
        "posviz/publish/rerun.py",
        "if _timeless(before) == _timeless(after) != ",
        "if _timeless(after) != ",
        "tests/publish/test_rerun.py::test_measured_times_stay_as_they_are_stored_"
        "unless_more_has_changed",
    ),
    "rerun: what a notebook's imports import does not count": (
        "posviz/publish/rerun.py",
        "while waiting := waiting - found:",
        "if waiting := waiting - found:",
        "tests/publish/test_rerun.py::test_a_change_reaches_the_notebooks_that_import_it",
    ),
    "front door: load_table looked for in the wrong module": (
        "posviz/__init__.py",
        '    "posviz.models.checkpoints": ("load_table",),\n    "posviz.models.hugging_face": (',
        '    "posviz.models.hugging_face": ("load_table", ',
        "tests/test_front_door.py::test_every_name_opens_something[load_table]",
    ),
    "checkpoints: float16 forgotten": (
        "posviz/models/checkpoints.py",
        '"F32": "<f4", "F16": "<f2", ',
        '"F32": "<f4", ',
        "tests/models/test_checkpoints.py::test_a_tensor_comes_back_as_it_was_saved[half-dtype2]",
    ),
    "training: no steps is told in the singular": (
        "posviz/models/training.py",
        "'s' * (done != 1)",
        "'s' * (done > 1)",
        "tests/models/test_training.py::"
        "test_an_interrupt_keeps_what_was_learned_and_says_so[0-0 steps]",
    ),
    "arrays: a container's file cache counts for its memory": (
        "posviz/arrays.py",
        'stat.get("anon", 0)',
        'stat.get("file", 0)',
        "tests/test_arrays.py::test_free_memory_is_what_machine_and_container_leave[files2-2000]",
    ),
    "chain: half a turn is shown as minus pi": (
        "posviz/derivations/chain.py",
        "- 0.5 - ROUNDING)",
        "- 0.5)",
        "tests/derivations/test_chain.py::test_half_a_turn_is_shown_as_pi_on_every_machine[1e-12]",
    ),
    "plane: phases for n = m compared as plain numbers": (
        "posviz/derivations/plane.py",
        'why="phases for n = m",\n        angle=True,',
        'why="phases for n = m",\n        angle=False,',
        "tests/derivations/test_rotary.py::test_every_right_line_follows_at_every_setting[polar]",
    ),
    "dimensions: the slip of the layout without its minus": (
        "posviz/derivations/dimensions.py",
        "np.concatenate([-second, first])",
        "np.concatenate([second, first])",
        "tests/derivations/test_dimensions.py::test_the_other_layout_mixes_pairs",
    ),
    "derive: a vector with one 0 is refused": (
        "posviz/derivations/rotary.py",
        "not pair.any()",
        "not pair.all()",
        "tests/derivations/test_plane.py::test_every_line_in_polar_form_is_"
        "what_complex_numbers_say[values2]",
    ),
    "setting: turned vectors remembered by position alone": (
        "posviz/derivations/setting.py",
        "asked = (*x, position)",
        "asked = (position,)",
        "tests/derivations/test_setting.py::test_turning_is_multiplying_by_a_complex_number[0]",
    ),
    "page: a link to a place in another lesson stays a notebook": (
        "posviz/publish/overview.py",
        "\\.ipynb(?=[)#])",
        "\\.ipynb(?=\\))",
        "tests/publish/test_page.py::test_links_between_lessons_lead_to_pages",
    ),
    "page: a link to a page that is not there stays": (
        "posviz/publish/page.py",
        'if found["file"] in there',
        'if found["file"]',
        "tests/publish/site/test_pages.py::"
        "test_a_lessons_page_leads_to_the_pages_around_it_and_to_none_that_is_missing",
    ),
    "overview: what is folded is searched": (
        "posviz/publish/overview.py",
        'soup.select("details, .anchor-link")',
        'soup.select(".anchor-link")',
        "tests/publish/test_overview.py::"
        "test_sections_have_their_text_and_code_but_nothing_folded_or_hidden",
    ),
    "gallery: a picture leads to where it is first named": (
        "posviz/publish/site/gallery.py",
        'rf"\\b{name}\\(.*\\.explore\\(\\)", ',
        "",
        "tests/publish/site/test_gallery.py::"
        "test_pictures_stand_in_the_order_in_which_they_are_explored",
    ),
    "page template: alternative text is not escaped": (
        "posviz/publish/page.html.j2",
        '"alt", "image/png") | e }}',
        '"alt", "image/png") }}',
        "tests/publish/test_page.py::test_every_image_is_in_the_page_and_has_alternative_text",
    ),
    "clean: raw cells stay": (
        "posviz/publish/clean.py",
        'in ("markdown", "code")',
        '!= "unknown"',
        "tests/publish/test_clean.py::test_of_outputs_text_html_and_pictures_stay_and_raw_cells_go",
    ),
    "clean: what is no picture is shown as one": (
        "posviz/publish/clean.py",
        "png(value.removeprefix(PNG))",
        "value.removeprefix(PNG)",
        "tests/publish/test_clean.py::test_pictures_are_those_in_the_text[GIF]",
    ),
    "clean: Markdown is not sanitised": (
        "posviz/publish/clean.py",
        "return sanitised(markdown2html(text))",
        "return markdown2html(text)",
        "tests/publish/test_clean.py::test_an_attached_png_is_shown_and_another_file_is_not",
    ),
    "assets: a page without scripts runs those beside it": (
        "posviz/publish/assets.py",
        "or [\"'none'\"]",
        "or [\"'self'\"]",
        "tests/publish/test_assets.py::test_a_policy_names_scripts_by_their_hashes_alone",
    ),
    "slides: a cell without a mark is said": (
        "posviz/publish/slides.py",
        'if mark == "notes" else',
        'if mark != "subslide" else',
        "tests/publish/test_slides.py::test_marks_say_which_slide_has_a_cell",
    ),
    "arguments: a lesson's number needs its leading zero": (
        "posviz/publish/arguments.py",
        "typed.zfill(2) == number",
        "typed == number",
        "tests/publish/test_arguments.py::test_a_lesson_by_number_or_name[5]",
    ),
    "inventory: defaults as Python writes them": (
        "posviz/publish/inventory.py",
        "knob.write(knob.default_value)",
        "knob.default_value",
        "tests/publish/test_inventory.py::test_every_picture_and_every_knob_has_its_line",
    ),
    "assets: a file that is there is never renewed": (
        "posviz/publish/assets.py",
        "if not path.is_file() or path.read_bytes() != data:",
        "if not path.is_file():",
        "tests/publish/test_assets.py::test_a_file_that_has_the_bytes_is_left_alone",
    ),
    "doctor: free disk in another unit": (
        "posviz/publish/doctor.py",
        "// 10**6",
        "// 2**20",
        "tests/publish/test_doctor.py::test_a_full_disk",
    ),
    "notebook 06: the format of an older version": (
        f"notebooks/{OF_TOPIC['rotary2d'].notebook}.ipynb",
        '"nbformat_minor": 5',
        '"nbformat_minor": 4',
        "tests/test_notebooks.py::test_notebook_was_run_in_order_from_a_fresh_"
        f"kernel[{OF_TOPIC['rotary2d'].notebook}]",
    ),
    "run.py: an unknown failure shows the first line, not the last": (
        "run.py",
        "splitlines()[-1:]",
        "splitlines()[:1]",
        "tests/test_run.py::test_a_full_disk_and_an_unknown_failure_become_one_line",
    ),
    "run.py: gigabytes counted in powers of two": (
        "run.py",
        ".free / 1e9",
        ".free / 2**30",
        "tests/test_run.py::test_too_little_disk_space_is_said_before_anything_is_made",
    ),
    "main: files counted by jobs, several formats as one": (
        "posviz/commands/common.py",
        'sum(1 + name.count(", ") for name in jobs if name not in failures)',
        "len(jobs) - len(failures)",
        "tests/test___main__.py::test_failures_are_told_at_the_end_and_give_status_1",
    ),
    "main: pages are linked where every page failed": (
        "posviz/commands/common.py",
        "len(failures) < len(jobs)",
        "len(failures) <= len(jobs)",
        "tests/test___main__.py::test_pages_and_slides_of_the_lessons_meant[page-write_page]",
    ),
    "checkpoints: a shard's path may leave the folder": (
        "posviz/models/checkpoints.py",
        "PureWindowsPath(shard).name",
        "shard",
        "tests/models/test_checkpoints.py::test_shards_are_found_through_their_index_and_beside_it",
    ),
    "training: snapshots share the memory of the table": (
        "posviz/models/training.py",
        "to_numpy(table).copy()",
        "to_numpy(table)",
        "tests/models/test_training.py::test_snapshots_are_taken_first_and_last_and_ever_more_rarely",
    ),
    "arrays: a tensor shares the memory of its source": (
        "posviz/arrays.py",
        "_torch().tensor(in_native_order(values))",
        "_torch().from_numpy(in_native_order(values))",
        "tests/test_arrays.py::test_moving_leaves_the_source_alone",
    ),
    "slides template: a picture's HTML is escaped": (
        "posviz/publish/slides.html.j2",
        "slide.picture | safe",
        "slide.picture",
        "tests/publish/test_slides.py::test_what_is_written_is_escaped_and_"
        "links_to_notebooks_are_words",
    ),
    "export jobs: files that exist are written again beside a missing one": (
        "posviz/publish/export_jobs.py",
        "path for path in stills if path not in kept]",
        "path for path in stills]",
        "tests/publish/test_export_jobs.py::test_existing_files_are_kept_unless_"
        "they_shall_be_overwritten",
    ),
    "slides: letters are small beside a long formula, too": (
        "posviz/publish/slides.py",
        'UNSEEN.sub("", text)',
        "text",
        "tests/publish/test_slides.py::test_letters_are_small_where_much_is_shown_besides_formulas",
    ),
    "run.py: the address of CPU builds is asked for where there is a driver": (
        "run.py",
        "    if has_nvidia_driver():\n",
        "    if not has_nvidia_driver():\n",
        "tests/test_run.py::test_the_build_of_torch",
    ),
    "run.py: an interrupted update of the tests leaves the lab's stamp": (
        "run.py",
        "    for part in (LAB, TEST):\n",
        "    for part in missing:\n",
        "tests/test_run.py::test_an_interrupted_set_up_starts_again",
    ),
    "doctor: why torch's build was chosen is not told": (
        "posviz/publish/doctor.py",
        "if chosen.exists() else built",
        "if not chosen.exists() else built",
        "tests/publish/test_doctor.py::test_the_build_of_torch_and_why_it_was_chosen",
    ),
}

DEFAULT = {
    "run.py: JupyterLab is a child, which outlives a killed run.py": (
        "posviz/publish/start.py",
        'if os.name == "nt":\n        with leave',
        'if os.name == "posix":\n        with leave',
        "tests/test_run.py::test_jupyterlab_ends_with_the_process_that_began_it",
    ),
    "lesson: a notebook is not looked through": (
        "posviz/publish/lesson.py",
        "        nbformat.validate(found)\n",
        "",
        "tests/publish/test_lesson.py::test_what_is_no_notebook_is_named_in_a_line",
    ),
    "export jobs: stills are never dark": (
        "posviz/publish/export_jobs.py",
        "export.save_all(picture, paths, style=style, dark=dark)",
        "export.save_all(picture, paths, style=style)",
        "tests/publish/test_export_jobs.py::test_jobs_write_the_picture_in_its_setting_and_look[True]",
    ),
    "main: Ctrl-C while loading ends with the bare number": (
        "posviz/__main__.py",
        "os._exit(128 + number)",
        "os._exit(number)",
        "tests/test_command_line_in_processes.py::test_a_warning_and_ctrl_c_"
        "while_modules_are_loaded_are_a_line_each",
    ),
    "lesson: the failing cell is counted from 1": (
        "posviz/publish/lesson.py",
        "enumerate(lesson.cells)",
        "enumerate(lesson.cells, 1)",
        "tests/publish/test_lesson.py::test_a_cell_that_fails_is_named",
    ),
    "lesson: a cell that is skipped keeps what it showed": (
        "posviz/publish/lesson.py",
        "cell.outputs, cell.execution_count = [], None",
        "cell.execution_count = None",
        "tests/publish/test_lesson.py::test_cells_that_are_not_run_show_nothing",
    ),
    "lesson: a signal ends the kernel and not the program": (
        "posviz/publish/lesson.py",
        'raise RuntimeError("signals are the program\'s")',
        "super().add_signal_handler(*_)",
        "tests/publish/test_lesson.py::test_a_signal_in_the_second_lesson_"
        "stops_it_and_its_kernel_complains_of_nothing",
    ),
    "pages: a figure's dark look is its light one": (
        "posviz/publish/lesson.py",
        "notebook_png(figure.again(**look))",
        "notebook_png(figure)",
        "tests/publish/test_lesson.py::test_figures_have_alternative_text_and_other_looks",
    ),
    "stopping: any exit that Python swallows sends the signal": (
        "posviz/publish/stopping.py",
        "any(swallowed.exc_value is one for one in made)",
        "isinstance(swallowed.exc_value, SystemExit)",
        "tests/publish/test_stopping.py::test_what_no_signal_raised_is_told_as_"
        "before_and_sends_none[sys.exit(3)]",
    ),
    "stopping: a signal is lost that comes while the swallowed one is told": (
        "posviz/publish/stopping.py",
        "if _is_within(frame, again):",
        "if not frame:",
        "tests/publish/test_stopping.py::test_the_program_cleans_up_and_ends_without_a_"
        "traceback[a finaliser, on a busy machine]",
    ),
    "notebook 08: a stored digit is wrong": (
        f"notebooks/{OF_TOPIC['xpos'].notebook}.ipynb",
        "a key grows 507,094,277 times",
        "a key grows 507,094,377 times",
        "tests/browser/test_notebooks_in_lab.py::test_a_notebook_runs_tells_what_is_stored_and_"
        f"sliders_move_every_picture[{OF_TOPIC['xpos'].notebook}]",
    ),
    "notebook 01: a picture is not imported": (
        f"notebooks/{OF_TOPIC['order'].notebook}.ipynb",
        "from posviz import FourTerms, MaskedAttention, ScoreVariance, ShuffledSentence",
        "from posviz import FourTerms, ScoreVariance, ShuffledSentence",
        "tests/browser/test_notebooks_in_lab.py::test_a_notebook_runs_tells_what_is_stored_and_"
        f"sliders_move_every_picture[{OF_TOPIC['order'].notebook}]",
    ),
    "batch: reasons of the system with Python's errno": (
        "posviz/publish/batch.py",
        "said = error.strerror or str(error)",
        "said = str(error)",
        "tests/publish/test_batch.py::test_reasons_of_the_system_have_no_python_in_them",
    ),
}
