"""A submission's process: what it may do, and how it ends."""

import sys
from pathlib import Path

import numpy as np
import pytest

from posviz.encodings.frequencies import rotary_frequencies
from posviz_tools.classroom import inside, submission
from posviz_tools.classroom.submission import answer

pytestmark = pytest.mark.slow("a process")


JAILS = (True, False) if sys.platform == "linux" else (False,)


@pytest.fixture(params=JAILS, ids={True: "in a jail", False: "without a jail"}.get)
def jailed(request, monkeypatch):
    """Whether what is tested runs in one."""
    if not request.param:
        monkeypatch.setattr(submission, "jail", lambda: ())
    elif not submission.jail():
        pytest.fail(
            "bubblewrap is tested here: install it (Debian, Ubuntu: `apt install bubblewrap`); if "
            "it is there, this container or system lets it make no namespaces: test where it may",
            pytrace=False,
        )
    return request.param


def called(code, *arguments, lent=()):
    with answer([code], "f", dict(lent)) as f:
        return f(*arguments)


def told(code, *arguments):
    with answer([code], "f", {}) as f, pytest.raises(submission._Stopped) as raised:
        f(*arguments)
    return f"{type(raised.value).__name__}: {raised.value}"


def test_a_function_is_called_as_if_it_were_here(jailed):
    code = "import numpy as np\ndef f(x, n): return x.T @ x, [n, None]"
    product, rest = called(code, np.ones((2, 3)), 4)
    np.testing.assert_array_equal(product, np.full((3, 3), 2))
    assert rest == [4, None]


def test_an_array_that_is_written_into_is_changed_here():
    x, y = np.ones((2, 3)), np.zeros(2)
    assert called("def f(x, y): x[0] = 7; y = y + 1; return 1", x, y) == 1
    np.testing.assert_array_equal(x, [[7] * 3, [1] * 3])
    np.testing.assert_array_equal(y, [0, 0])


def test_a_value_comes_as_it_is_and_a_stub_is_empty():
    for code, value in (("f = (1, 2.5)", [1, 2.5]), ("# f = ...\nraise NotImplementedError", ...)):
        with answer([code], "f", {}) as found:
            assert found == value


def test_functions_that_are_given_or_lent_are_called_here():
    seen = []
    code = """
from posviz import rotary_frequencies
def f(head): return head(head(2)) + len(rotary_frequencies(8, base=50))"""
    lent = {"rotary_frequencies": rotary_frequencies}
    assert called(code, lambda x: seen.append(x) or 3 * x, lent=lent) == 22
    assert seen == [2, 6]
    assert (
        told("def f(head): return head(2)", lambda x: 1 / 0)
        == "ZeroDivisionError: division by zero"
    )


def test_what_is_not_there_is_told_with_why():
    assert told("f = 1 / 0") == "NameError: Your cell stopped: division by zero"
    assert told("g = 1") == "NameError: there is no f in this notebook"


@pytest.mark.parametrize("code", ["check_f(f_v2)", "my_f = check_f(3)", "# f\ncheck_f(f_v2)"])
def test_an_answer_under_another_name_is_missing_and_accuses_nobody(code):
    start = "from posviz_course.lessons.rotary import check_f\ndef f_v2(x): return x\n"
    assert told(start + code) == "NameError: there is no f in this notebook"
    assert "posviz's own check_f is used here" in told(start + "f = check_f(3)")


def test_posviz_own_function_is_none_of_the_reader_s(jailed):
    with answer(["from posviz import attend as f"], "f", {}) as f:
        assert f.__module__ == "posviz."
    said = told("import posviz\ndef f(): return posviz.attend()")
    assert said == "NotLent: posviz's own attend is used here; write yours"
    assert told("import posviz\ndef f(): return posviz.__file__").startswith("AttributeError")
    file = Path(submission.PACKAGES[0]) / "teaching" / "checker.py"
    said = told(f"def f(): return open({str(file)!r}).read()")
    assert said == f"PermissionError: an answer may not open {file}"


DEEDS = {  # by the event of Python's audit
    "os.chmod": "os.chmod(PLACE, 0)",
    "os.chown": "os.chown(PLACE, -1, -1)",
    "os.exec": "os.execv('/bin/true', ['true'])",
    "os.fork": "os.fork()",
    "os.kill": "os.kill(os.getpid(), 0)",
    "os.link": "os.link(PLACE, PLACE + '2')",
    "os.posix_spawn": "os.posix_spawn('/bin/true', ['true'], {})",
    "os.remove": "os.unlink(PLACE)",
    "os.rename": "os.rename(PLACE, PLACE + '2')",
    "os.rmdir": "os.rmdir(PLACE)",
    "os.startfile": "sys.audit('os.startfile')",  # Windows alone has it
    "os.symlink": "os.symlink(PLACE, PLACE + '2')",
    "os.system": "os.system('true')",
    "os.truncate": "os.truncate(PLACE, 0)",
    "pty.spawn": "pty.spawn('true')",
    "shutil.rmtree": "shutil.rmtree(PLACE)",
    "socket.__new__": "socket.socket()",
    "subprocess.Popen": "subprocess.run(['true'])",
}
FLAGS = ("O_WRONLY", "O_RDWR", "O_CREAT", "O_RDONLY | os.O_TRUNC", "O_APPEND")


def test_what_an_answer_has_no_need_of_is_refused(jailed, tmp_path):
    assert [name for name in inside.REFUSED if not any(e.startswith(name) for e in DEEDS)] == []
    file = tmp_path / "file"
    file.write_text("kept")
    opens = ["open(PLACE, 'w')", *(f"os.open(PLACE, os.{flags})" for flags in FLAGS)]
    code = f"""
import os, pty, shutil, socket, subprocess, sys
PLACE = {str(file)!r}
def f(deed):
    try: return str(eval(deed))
    except PermissionError as error: return str(error)"""
    with answer([code], "f", {}) as f:
        said = {deed: f(deed) for deed in (*DEEDS.values(), *opens)}
    refused = {deed: f"an answer may not use {event}" for event, deed in DEEDS.items()}
    assert said == refused | dict.fromkeys(opens, f"an answer may not open {file}")
    assert file.read_text() == "kept"


def test_a_file_whose_name_begins_like_the_package_may_be_read(monkeypatch, tmp_path):
    monkeypatch.setattr(submission, "jail", lambda: ())
    monkeypatch.setattr(submission, "PACKAGES", [str(tmp_path / "posviz")])
    file = tmp_path / "posviz_data.txt"
    file.write_text("1 2")
    assert called(f"def f(): return open({str(file)!r}).read()") == "1 2"


@pytest.mark.parametrize("jailed", JAILS[:1], indirect=True)
def test_in_a_jail_are_no_disk_no_network_and_no_other_process(jailed, tmp_path):
    file = tmp_path / "file"
    file.write_text("kept")
    code = f"""
import ctypes, os, socket
libc = ctypes.CDLL(None, use_errno=True)
def f():
    files = [{str(file)!r}, {str(Path(submission.PACKAGES[1]) / "course.py")!r}]
    files += [{str(tmp_path)!r}, "/proc/self/exe"]
    seen = [libc.access(name.encode(), 4) for name in files], libc.unlink(files[0].encode())
    return *seen, [name for _, name in socket.if_nameindex()], os.getpid()"""
    if jailed:
        assert called(code) == [[-1, -1, -1, 0], -1, ["lo"], 2]
        assert file.exists()


def test_who_grades_is_told_whether_there_is_a_jail(jailed):
    is_told = "disk that it can only read" in submission.protection()
    assert is_told == bool(submission.jail())


def test_time_memory_and_silence_are_limited(jailed, monkeypatch):
    monkeypatch.setattr(submission, "SECONDS", 1)
    endless = "TimeoutError: perhaps an endless loop: it took more than 1 seconds"
    assert told("def f():\n    while True: pass") == endless
    assert told("import time\ndef f(): time.sleep(99)") == endless
    stubborn = "import signal\ndef f():\n    signal.setitimer(0, 0)\n    while True: pass"
    assert told(stubborn) == "TimeoutError: perhaps an endless loop: it took too long"
    assert told("import numpy as np\ndef f(): return np.ones(2**29)").startswith("MemoryError")
    assert told("import os\ndef f(): os._exit(0)") == "SystemExit: it ended the process"


@pytest.mark.parametrize(
    "code",
    [
        "import time\ntime.sleep(99)",
        "while True:\n    try: 1 / 0\n    except: pass",
        "import sys\nsys.exit(3)",
    ],
)
def test_a_cell_that_does_not_end_or_exits_is_left_out(jailed, code, monkeypatch):
    monkeypatch.setattr(submission, "SECONDS", 1)
    with answer(["def f(): return 1", f"g = 2\n{code}", "h = 3"], "f", {}) as f:
        assert f() == 1


def test_a_call_that_took_too_long_is_the_last():
    conversation = submission._Conversation(None, {})
    late = conversation._stopped("TimeoutError", "late", "", [])
    with pytest.raises(type(late)):
        conversation._asked([])


def test_the_line_that_stopped_is_told_and_what_was_empty_there():
    code = "\n\ndef f(x):\n    y = ...\n    return x + y"
    with answer([code], "f", {}) as f, pytest.raises(submission._Stopped) as raised:
        f(1)
    assert raised.value.failed_at == (" on line 4, `y = ...`", ["y"])
