// @ts-check
// The script of the front page: its pictures live.

import "../live/live.js";
