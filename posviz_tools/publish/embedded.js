// The script of a page of one picture: it lives, light or dark as the frame's address says, "?theme=dark".

import "./live/live.js";

const theme = new URLSearchParams(location.search).get("theme");
if (theme) document.documentElement.dataset.theme = theme;
