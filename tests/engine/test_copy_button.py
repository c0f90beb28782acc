"""The button that copies: what the browser is sent. The click is tried in a real JupyterLab."""

from posviz.engine.copy_button import CopyButton


def test_the_browser_has_label_and_text_before_the_click():
    button = CopyButton(label="Copy the Python line", text="one")
    button.text = "Waves(words='</pre>').save('a.png')"
    state = button.get_state()
    assert state["label"] == "Copy the Python line"
    assert state["text"] == "Waves(words='</pre>').save('a.png')"
