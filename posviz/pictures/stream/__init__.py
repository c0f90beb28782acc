"""Draw calls to the browser: matplotlib is recorded, a canvas replays; else a PNG goes."""
