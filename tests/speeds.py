"""How much is tested: the speeds of `python run.py test`, and what each leaves out.

default         what guards everything that a reader sees; sweeps by samples
--quick         the same without browsers, notebooks and processes
--changed       of either, only what the change since the last commit reaches
--everything    the whole of every sweep, for a release

A speed deselects tests, and says at the end how many and why. What is sampled follows from
`--seed`: 0, or with --everything a new one each time.
"""

import gc
import random
import sys
from collections import Counter

import hypothesis
import numpy as np
import numpy.testing  # which starts a process when NumPy 2.1 first loads it
import pytest

from tests import changed, planted

MARKERS = (
    "slow(reason): it starts a process, runs a notebook or takes seconds: --quick leaves it out",
    "release(reason): of a sweep that only --everything makes",
    "sampled(default=None, quick=5): of its parameters, so many are drawn at that speed",
)
FEW = 5  # of a test's parameters, which --quick draws where no marker says how many
STARTS = {"subprocess.Popen", "os.fork", "os.posix_spawn"}  # what Python calls it in its audit
_started: list[str] = []


def pytest_addoption(parser):
    group = parser.getgroup("how much is tested")
    speed = {"dest": "speed", "action": "store_const", "default": "default"}
    group.addoption("--quick", const="quick", **speed, help="no browser, notebook or process")
    group.addoption("--everything", const="everything", **speed, help="all of every sweep")
    group.addoption("--changed", action="store_true", help="what the working tree's change reaches")
    group.addoption("--seed", type=int, help="which samples are drawn")


@pytest.hookimpl(trylast=True)  # after hypothesis has loaded the profile of pyproject.toml
def pytest_configure(config):
    for line in MARKERS:
        config.addinivalue_line("markers", line)
    option = config.option
    if option.seed is None:  # workers are told by the first process
        option.seed = random.randrange(10**6) if option.speed == "everything" else 0
    config.left_out = Counter()
    if option.speed == "quick":
        hypothesis.settings.register_profile("quick", hypothesis.settings(), max_examples=10)
        hypothesis.settings.load_profile("quick")
        sys.addaudithook(lambda event, _: event in STARTS and _started.append(event))


def pytest_report_header(config):
    return f"speed: {config.option.speed}, samples drawn with --seed {config.option.seed}"


# ---------------------------------------------------------------- what is left out


def pytest_collection_modifyitems(config, items):
    speed, reach = config.option.speed, None
    if config.option.changed:
        reach = changed.Reach(changed.since_last_commit())
    # What a change reaches is few: of that nothing is left to chance but what always is.
    drawn = _drawn(items, "default" if reach and speed == "quick" else speed, config.option.seed)
    kept, left = [], []
    for item in items:
        reason = _left_out(item, speed, drawn)
        if not reason and reach and not _reached(item, reach):
            reason = "not reached by the change"
        if reason:
            config.left_out[reason] += 1
            left.append(item)
        else:
            kept.append(item)
    config.hook.pytest_deselected(items=left)
    items[:] = sorted(kept, key=_turn)


def _left_out(item, speed, drawn) -> str:
    """Why a speed leaves a test out, or nothing."""
    if speed == "everything":
        return ""
    if marker := item.get_closest_marker("release"):
        return f"{marker.args[0]}: --everything"
    if item not in drawn:
        return "not drawn for a sample: --everything, or another --seed"
    if speed == "quick" and "browser" in item.path.parts:
        return "a browser: without --quick"
    if speed == "quick" and (marker := item.get_closest_marker("slow")):
        return f"{marker.args[0]}: without --quick"
    return ""


def _drawn(items, speed, seed) -> set:
    """Of each test's parameters so many as a marker or the speed says, and what sees an error."""
    tests: dict = {}
    others = ("release", "slow") if speed == "quick" else ("release",)
    drawn = set(items)
    for item in items:
        if not any(map(item.get_closest_marker, others)):
            tests.setdefault((item.path, item.originalname), []).append(item)
    for (_, name), each in tests.items():
        marker = each[0].get_closest_marker("sampled")
        said = marker.kwargs if marker else {}
        number = said.get(speed, FEW if speed == "quick" else len(each))
        if number < len(each):
            kept = random.Random(f"{seed} {name}").sample(each, number)
            drawn -= set(each) - set(kept)
    errors = planted.QUICK if speed == "quick" else planted.ERRORS
    seeing = {error[-1] for error in errors.values()}
    return drawn | {item for item in items if item.nodeid in seeing}


def _reached(item, reach) -> bool:
    parameters = item.callspec.params.values() if hasattr(item, "callspec") else ()
    return reach.test(str(item.path.relative_to(changed.ROOT)), parameters)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """What is loaded by now stays loaded: nobody need look for garbage in it, figure by figure."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


# ---------------------------------------------------------------- who runs what

LESSONS = "browser/test_notebooks_in_lab.py"
PAGES = tuple(f"browser/test_{name}.py" for name in ("pages", "site", "axe"))  # of one website
# The longest are begun first, so that the workers end together.
LONG = (
    LESSONS,
    "browser/test_explorer_in_lab.py",
    "test_pictures.py",
    "browser/test_fidelity.py",
    # Now lessons are executed: one that is not would be executed a second time for its page.
    *PAGES,
    "browser/test_slides.py",
    "browser/test_still_there.py",
    "browser/test_e",
    "browser/test_c",
    "test_every_figure.py",
    "encodings/test_transforms.py",
    "browser/",
    "test_planted_errors.py",
    "engine/",
)


def _turn(item) -> int:
    """When an item's file is begun."""
    name = item.nodeid.removeprefix("tests/")
    return next((i for i, start in enumerate(LONG) if name.startswith(start)), len(LONG))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    from xdist.scheduler import LoadFileScheduling

    class ByFile(LoadFileScheduling):
        """Each worker takes whole files; half of the lessons go to one, half to another."""

        def _split_scope(self, nodeid):
            file = super()._split_scope(nodeid)
            name = file.removeprefix("tests/")
            if name == LESSONS:
                return f"{file} {int(nodeid.partition('[')[2][:2]) % 2}"
            return "pages" if name in PAGES else file

    return ByFile(config, log)


# ---------------------------------------------------------------- what is said at the end


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """With several workers: each has left out the same."""
    node.config.left_out = Counter(getattr(node, "workeroutput", {}).get("left_out", {}))


def pytest_sessionfinish(session):
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = dict(session.config.left_out)


def pytest_terminal_summary(terminalreporter, config):
    for reason, number in config.left_out.most_common():
        terminalreporter.write_line(f"left out: {number:5} {reason}")


# ---------------------------------------------------------------- for tests


@pytest.fixture(scope="session")
def everything(pytestconfig) -> bool:
    """Whether sweeps are made whole."""
    return pytestconfig.option.speed == "everything"


@pytest.fixture(scope="session")
def quick(pytestconfig) -> bool:
    """Whether a part of each sweep is enough."""
    return pytestconfig.option.speed == "quick"


@pytest.fixture
def rng(request) -> np.random.Generator:
    """Draws the samples of one test, always the same with one seed."""
    return np.random.default_rng([request.config.option.seed, *request.node.name.encode()])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """A quick run fails where a test, or its fixture, starts a process: it has to be marked."""
    _started.clear()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call():
    result = yield
    assert not _started, "it starts a process: mark it with @pytest.mark.slow('a process')"
    return result
