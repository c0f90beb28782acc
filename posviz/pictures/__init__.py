"""From knobs to pixels and files; knows no lesson."""
