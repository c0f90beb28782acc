"""The course: lessons with their pictures and exercises, and the models and runs they show."""

from posviz_course import lessons

_NAMES = {
    "posviz_course.blackbox": ("identify",),
    "posviz_course.choosing.glossary": ("glossary",),
    "posviz_course.choosing.table": ("comparison",),
    "posviz_course.claims": ("audit", "ledger", "recall"),
    "posviz_course.configs": ("read_config",),
    "posviz_course.configs.layer_plans": ("layer_plan",),
    "posviz_course.models.hugging_face": ("load_model",),
    "posviz_course.models.position_maps": (
        "MappedRotary",
        "dual_chunk_positions",
        "rerope_positions",
        "self_extend_positions",
        "sink_positions",
    ),
}


def names() -> dict[str, str]:
    """The module of each name that `from posviz import …` finds here; nothing is imported."""
    own = {name: module for module, names in _NAMES.items() for name in names}
    return lessons.names() | own
