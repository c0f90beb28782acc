"""Scripts planted in a notebook: all that a page could be made to run, wherever text comes from.

RUN stands for a call that tells which one ran, and FILE for the name of a file beside the page that
has it: FILE.js as a script, FILE.html as a page.
"""

MARKDOWN = r"""
<script>RUN</script>
<script type="module">RUN</script>
<script src="FILE.js"></script>
<script src="data:text/javascript,RUN"></script>
<svg><script>RUN</script></svg>
<svg onload="RUN"></svg>
<img src="x" onerror="RUN">
<IMG SRC=x OnError="RUN">
<body onpageshow="RUN">
<details open ontoggle="RUN"><summary>A</summary></details>
<video src="x" onerror="RUN"></video>
<iframe src="javascript:parent.RUN"></iframe>
<iframe srcdoc="<script>RUN</script>"></iframe>
<iframe src="FILE.html"></iframe>
<object data="FILE.html"></object>
<embed src="FILE.html">
<a href="javascript:RUN">A</a>
<a href="java&#9;script:RUN">A</a>
<a href="&#106;avascript:RUN">A</a>
<a href="data:text/html,<script>RUN</script>">A</a>
<svg><a xlink:href="javascript:RUN"><text y="20">A</text></a></svg>
<svg><a><animate attributeName="href" values="javascript:RUN"/><text y="20">A</text></a></svg>
<svg><foreignObject><img src="x" onerror="RUN"></foreignObject></svg>
<math><a href="javascript:RUN">A</a></math>
<form action="javascript:RUN"><button>A</button></form>
<input autofocus onfocus="RUN">
<p onclick="RUN">A</p>
<style>@keyframes a {}</style><p style="animation: a 1s" onanimationstart="RUN">A</p>
<style onload="RUN"></style>
<base href="planted/">
<meta http-equiv="refresh" content="0; url=javascript:RUN">
<noscript><p title="</noscript><img src=x onerror=RUN>"></p></noscript>
<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x onerror=RUN&gt;">
<svg></p><style><a id="</style><img src=x onerror=RUN>"></a></svg>
<!--><img src=x onerror=RUN>-->
<div><template shadowrootmode="open"><img src=x onerror=RUN></template></div>
<img src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='RUN'/>">
<div class="posviz-live" data-picture="RUN" data-values="RUN"><img src=x onerror=RUN></div>
<div class="posviz-prediction"><details class="posviz-guess" ontoggle="RUN" open></details></div>
<section data-background-iframe="FILE.html"></section>
<a id="MathJax" href="javascript:RUN">A</a>
## <img src=x onerror=RUN>
## A" onmouseover="RUN" tabindex="0
[A](javascript:RUN)
[A](https://example.org 'A" onmouseover="RUN')
<javascript:RUN>
![A](javascript:RUN)
![A](x.png 'A" onerror="RUN')
`<img src=x onerror=RUN>`
$\href{javascript:RUN}{A}$
$\require{html}\href{javascript:RUN}{A}$
$\begin{array}<img src=x onerror=RUN>\end{array}$
$\mmlToken{mi}[href="javascript:RUN"]{A}$
$\text{$\mmlToken{mtext}[href="javascript:RUN"]{A}$}$
$\newcommand{\sin}{\mmlToken{mi}[href="javascript:RUN"]{A}}\sin$
<svg><set attributeName="onmouseover" to="RUN"/><text y="20">A</text></svg>
<div popover id="p" onbeforetoggle="RUN">A</div><button popovertarget="p">A</button>
<a href="javascript://[%0aRUN">A</a>
<noembed><img title="</noembed><img src=x onerror=RUN>"></noembed>
<math><annotation-xml encoding="text/html"><img src=x onerror=RUN></annotation-xml></math>
<script type="math/tex">\mmlToken{mi}[href="javascript:RUN"]{A}</script>
""".strip().splitlines()

# Markdown that would fetch something, or lay something over the page
OUTWARD = r"""
$\mmlToken{mglyph}[src="FETCH" alt="A"]{A}$
$\mmlToken{mi}[style="position: fixed; inset: 0; background: url(FETCH)"]{A}$
<img src="FETCH">
<img src="data:image/png;base64,PNG" srcset="FETCH 1x">
<picture><source srcset="FETCH"><img src="x"></picture>
<input type="image" src="FETCH">
<p style="background: url(FETCH)">A</p>
<p style="position: fixed; inset: 0">A</p>
<style>@import url(FETCH); body { background: url(FETCH) }</style>
<svg><image href="FETCH"/></svg>
<table background="FETCH"><tr><td background="FETCH">A</td></tr></table>
<video poster="FETCH" src="FETCH"></video>
<link rel="stylesheet" href="FETCH">
<iframe src="FETCH"></iframe>
<object data="FETCH"></object>
<div data-background-image="FETCH" data-background-video="FETCH">A</div>
<script type="speculationrules">{"prefetch": [{"urls": ["FETCH"]}]}</script>
![A](FETCH)
""".strip().splitlines()

LINES = (  # Markdown of several lines
    '```A" onmouseover="RUN\ncode\n```',
    "```mermaid\n<img src=x onerror=RUN>\n```",
    "[A][b]\n\n[b]: javascript:RUN",
    "| A |\n|---|\n| <img src=x onerror=RUN> |",
    "<div>\n\n<img src=x onerror=RUN>\n\n</div>",
    "<div class='posviz-live' data-picture='ShuffledSentence'\n"
    'data-values=\'{"sentence": "&lt;img src=x onerror=RUN&gt;"}\'></div>',
    '$$\n\\mmlToken{mi}[href="javascript:RUN"]{A}\n$$',
    '\\begin{equation}\n\\mmlToken{mi}[href="javascript:RUN"]{A}\n\\end{equation}',
)

ATTACHMENTS = (  # of the picture a.png: type and value
    ('image/png" onerror="RUN', "A"),
    ("image/png", 'A" onerror="RUN'),
    ("image/svg+xml", "<svg onload='RUN'/>"),
)

HTML = tuple(  # what a cell shows: among it all that slides take for a picture
    f'<div class="posviz-prediction">{text}</div>'
    for text in (
        "<script>RUN</script>",
        '<script src="FILE.js"></script>',
        "<img src=x onerror=RUN>",
        "<svg onload=RUN></svg>",
        '<a href="javascript:RUN">A</a>',
        '<iframe srcdoc="<script>RUN</script>"></iframe>',
        '<object data="FILE.html"></object>',
        '<p onclick="RUN">A</p>',
        "<p>A<details class=posviz-answer><summary>A</summary><img src=x onerror=RUN></details>",
        '<img src="data:image/png;base64,A" onerror="RUN">',
    )
)

BUNDLES = (  # what a cell shows: data and metadata
    ({"text/html": "<style onload=RUN></style>"}, {}),
    ({"image/png": 'A" onerror="RUN'}, {}),
    ({"image/png": '"><script>RUN</script>'}, {}),
    ({"image/png": "PNG"}, {"image/png": {"alt": 'A" onload="RUN'}}),
    ({"image/png": "PNG"}, {"image/png": {"width": '1" onload="RUN'}}),
    ({"image/png": "PNG"}, {"image/png": {"alt": ["<script>RUN</script>"]}}),
    ({"image/png": "PNG"}, {"image/png": {"width": {"a": '"><script>RUN</script>'}}}),
    ({"image/png": "PNG", "text/plain": "ThreeDoors(door='\"><script>RUN</script>')"}, {}),
    (
        {"image/png": "PNG", "text/plain": "ThreeDoors()"},
        {"image/png": {"alt": 'A" onload="RUN', "width": '1" onload="RUN'}},
    ),
    ({"image/jpeg": 'A" onerror="RUN'}, {}),
    ({"image/svg+xml": "<svg xmlns='http://www.w3.org/2000/svg' onload='RUN'></svg>"}, {}),
    ({"application/javascript": "RUN"}, {}),
    ({"text/markdown": "<img src=x onerror=RUN>"}, {}),
    ({"text/latex": "$x$<img src=x onerror=RUN>"}, {}),
    ({"text/plain": "<img src=x onerror=RUN>"}, {}),
    ({"text/vnd.mermaid": "<img src=x onerror=RUN>"}, {}),
)

RAW = ("text/html", "text/markdown", "text/latex", "")  # types of raw cells

ABOUT = {  # a notebook's metadata
    "title": "A</title><script>RUN</script>",
    "kernelspec": {"name": "python3", "display_name": "<script>RUN</script>"},
    "language_info": {"name": "python", "pygments_lexer": 'A" onclick="RUN'},
}

FIRST = """# 05 · A <img src=x onerror=RUN>"'><script>RUN</script>

*A"'><img src=x onerror=RUN>?*"""
SECTION = "## A <img src=x onerror=RUN>"
NOTES = "Said: <img src=x onerror=RUN>"
NEIGHBOUR = "# 06 · <img src=x onerror=RUN>"
NEIGHBOUR_FILE = "06_\"onclick='RUN'<img src=x onerror=RUN>"

PRINTED = (  # and the code that did
    "<img src=x onerror=RUN>",
    "</div><img src=x onerror=RUN>",
    "```\n<img src=x onerror=RUN>",
)
