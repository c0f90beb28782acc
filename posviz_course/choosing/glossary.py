"""The words of the course, in English and Chinese, each in one line."""

import html
from typing import NamedTuple

from posviz_course.course import OF_TOPIC
from posviz_course.tables import Searched, table_of


class Term(NamedTuple):
    """A word, its Chinese, what it means, and the topic whose lesson teaches it."""

    english: str
    chinese: str
    meaning: str
    topic: str


_BY_TOPIC: dict[str, tuple[tuple[str, str, str], ...]] = {
    "start": (("embedding", "嵌入", "the vector that stands for a token"),),
    "order": (
        ("token", "词元", "a piece of text that a model reads as one: a word, or a part of one"),
        ("query", "查询", "the vector with which a token asks"),
        ("key", "键", "the vector with which a token is found"),
        ("value", "值", "what a token hands on when it is found"),
        ("score", "分数", "query · key, scaled: before the softmax"),
        ("weight", "权重", "a score after the softmax; those of a query sum to 1"),
        ("softmax", "softmax 归一化", "makes scores weights: eˢ over the sum of all eˢ"),
        ("causal mask", "因果掩码", "hides from a query all keys that come after it"),
        ("head", "注意力头", "one attention of several side by side, with projections of its own"),
        (
            "equivariant",
            "等变",
            "shuffle what goes in, and what comes out is shuffled too",
        ),
        ("invariant", "不变", "shuffle what goes in, and what comes out is the same"),
    ),
    "sinusoidal": (
        ("wavelength", "波长", "how many tokens a pair needs for a full rotation"),
        ("frequency", "频率", "the angle by which a pair rotates for each token"),
        ("base", "基数", "10 000 in the first papers: sets how slow the slowest pair is"),
        ("pair", "维度对", "two dimensions that rotate together"),
        ("sinusoidal", "正弦", "a table of sines and cosines that is added to embeddings"),
    ),
    "learned": (
        ("learned table", "可学习位置表", "a trained row for each position, up to the last one"),
    ),
    "relative": (
        ("absolute", "绝对", "made from the position of a token"),
        ("relative", "相对", "made from the offset of two tokens"),
        ("offset", "偏移", "query position − key position"),
        ("bias", "偏置", "a number added to a score"),
        ("bucket", "分桶", "offsets that share a number"),
        ("clip", "截断", "offsets beyond a limit are read as the limit"),
    ),
    "rotary": (
        ("RoPE", "旋转位置编码", "rotates each pair of a query or key by its position"),
        ("rotation", "旋转", "changes the direction of a vector and keeps its norm"),
    ),
    "rotary_code": (
        ("interleaved", "交错排列", "a layout: neighbours 2i and 2i + 1 are a pair"),
        ("half_split", "前后对半排列", "a layout: i and i + d/2 are a pair"),
        ("cache", "键值缓存", "keys and values of the tokens so far, kept for the next"),
        ("bfloat16", "bfloat16 半精度", "numbers of 16 bits, 8 of them significant"),
    ),
    "rotary2d": (
        ("patch", "图像块", "a square of an image that is read as a token"),
        ("axial", "轴向", "some pairs rotate by the row, the others by the column"),
        ("M-RoPE", "多模态旋转位置编码", "pairs rotate by time, row or column"),
    ),
    "alibi": (
        ("ALiBi", "线性偏置注意力", "subtracts slope × distance from a score"),
        ("slope", "斜率", "what a head of ALiBi subtracts for each token of distance"),
        ("extrapolation", "外推", "reading texts longer than those of training"),
    ),
    "xpos": (("xPos", "可外推旋转编码", "RoPE with a factor that falls with distance"),),
    "stretching": (
        (
            "position interpolation",
            "位置插值",
            "divides positions, so that a long text has the angles of a short one",
        ),
        ("NTK", "NTK 感知缩放", "a larger base: the last pair is slowed, the first is not"),
        (
            "YaRN",
            "YaRN 扩展",
            "slows each pair by how often it rotated in training; sharpens weights",
        ),
        ("dynamic NTK", "动态 NTK", "NTK that follows the length of the text"),
        ("needle", "大海捞针", "one fact in a long text, to be found again"),
    ),
    "content": (
        ("NoPE", "无位置编码", "a layer without positional encoding"),
        ("window", "滑动窗口", "a query sees only the last so many keys"),
        ("temperature", "温度", "divides scores: below 1 it sharpens weights"),
        ("gate", "门控", "a number between 0 and 1 that a token makes: how much it keeps"),
        ("forget", "遗忘", "what FoX's gates do to a score, token by token"),
    ),
}
TERMS = tuple(Term(*term, topic) for topic, terms in _BY_TOPIC.items() for term in terms)


def glossary() -> Searched:
    """Return the words as a table that can be searched, each with a link to its lesson."""
    heads = ("Word", "Chinese", "What it is", "Lesson")
    lines = [f"{term.english} ({term.chinese}): {term.meaning}" for term in TERMS]
    return Searched(table_of(heads, map(_cells, TERMS)), "\n".join(lines))


def _cells(term: Term) -> tuple[str, ...]:
    lesson = OF_TOPIC[term.topic]
    link = f'<a href="{lesson.notebook}.ipynb">{lesson.number} {html.escape(lesson.title)}</a>'
    return (*map(html.escape, term[:3]), link)
