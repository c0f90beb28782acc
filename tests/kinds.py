"""A plugin beside nbval, which compares text alone: a cell that has lost its picture fails, too."""

from unittest.mock import patch

import pytest

from posviz.pictures.stored import without_views


def kinds(outputs, updates=()) -> list[tuple]:
    """Type, stream and MIME types of each output; what began empty is as it was updated last."""
    newest = updates[-1] if updates else {}
    shown = (newest if o.get("data") == {} else o.get("data", {}) for o in outputs)
    return [
        (o["output_type"], o.get("name"), *data)
        for o, data in zip(outputs, map(sorted, shown), strict=True)
    ]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    if item.path.suffix != ".ipynb":
        return (yield)
    hear, updates = item.parent.get_kernel_message, []

    def heard(*args, **options):
        message = hear(*args, **options)
        if message["msg_type"] == "update_display_data":  # nbval leaves them out
            updates.append(message["content"]["data"])
        return message

    with patch.object(item.parent, "get_kernel_message", heard):
        result = yield
    cell = {**item.cell, "outputs": item.test_outputs}
    without_views({"cells": [cell]})  # as it is stored
    found, stored = kinds(cell["outputs"], updates), kinds(item.cell.outputs)
    assert found == stored, f"the cell shows {found}; stored is {stored}"
    return result
