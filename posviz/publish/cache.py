"""What takes long to make for pages, kept in the user's cache and named by hashes."""

import contextlib
import hashlib
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from platformdirs import user_cache_path


def in_cache(kind: str, source: bytes, fill: Callable[[Path], object]) -> Path:
    """A folder that is filled once for a source and kept for this user; older ones go."""
    kept = user_cache_path("posviz") / f"{kind}-{hashed(source)}"
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept.parent) as beside:
            filled = Path(beside) / "filled"
            filled.mkdir()
            fill(filled)
            for old in set(kept.parent.glob(f"{kind}-*")) - {kept}:
                shutil.rmtree(old, ignore_errors=True)
            with contextlib.suppress(OSError):  # another process was faster
                filled.rename(kept)
    return kept


def hashed(data: bytes) -> str:
    """What tells these bytes from others in a name."""
    return hashlib.sha256(data).hexdigest()[:16]
