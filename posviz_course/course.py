"""The course: a row for each lesson, in order; all names and numbers of lessons come from here."""

from typing import NamedTuple


class Lesson(NamedTuple):
    """A lesson; its folder in `posviz_course/lessons` has the name of its topic."""

    number: str
    topic: str
    title: str
    question: str

    @property
    def notebook(self) -> str:
        """The notebook's name without its ending: "05_rope"."""
        name = self.title.lower().replace(",", "").replace(" ", "_")
        return f"{self.number}_{name}".lstrip("_")

    @property
    def heading(self) -> str:
        """The notebook's first line: "05 · RoPE"."""
        return f"{self.number} · {self.title}".lstrip(" ·")


LESSONS = (
    Lesson("00", "start", "Start here", "How does a Transformer know who bites whom?"),
    Lesson(
        "01", "order", "Why order matters", "What does attention see when you shuffle a sentence?"
    ),
    Lesson("02", "sinusoidal", "Sinusoidal tables", "How do you write a position as a vector?"),
    Lesson("03", "learned", "Learned embeddings", "What if the table is trained?"),
    Lesson("04", "relative", "Relative positions", "What if only the distance matters?"),
    Lesson("05", "rotary", "RoPE", "How can an absolute rotation give a relative score?"),
    Lesson("06", "rotary_code", "RoPE in code", "Why do two correct programs disagree?"),
    Lesson("07", "rotary2d", "RoPE in two dimensions", "How do you rotate by (row, column)?"),
    Lesson("08", "alibi", "ALiBi", "Can a straight line replace the encoding?"),
    Lesson("09", "xpos", "xPos", "Can a rotation also forget?"),
    Lesson(
        "10", "stretching", "Stretching the context", "How do you read past the training length?"
    ),
    Lesson(
        "11", "content", "Position from content", "Must every layer have a positional encoding?"
    ),
    Lesson("12", "length", "Train short, test long", "Which of them really extrapolates?"),
    Lesson("13", "choosing", "Choosing", "Which encoding, then?"),
)
EXAMINATION = Lesson("", "examination", "Examination", "What have you kept of all lessons?")
OF_TOPIC = {lesson.topic: lesson for lesson in LESSONS}
