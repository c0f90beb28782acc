"""What otter-grader runs in the place of a submission, which its tests run themselves."""

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook
from otter.plugins import AbstractOtterPlugin  # type: ignore[import-not-found]


class KeepOut(AbstractOtterPlugin):
    """Keeps submissions out of the kernel of who grades, where nothing limits them."""

    def before_execution(self, submission: NotebookNode) -> NotebookNode:
        """A notebook that tells hidden tests where the submission lies."""
        return new_notebook(cells=[new_code_cell(f"file = {self.submission_path!r}")])
