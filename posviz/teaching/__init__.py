"""The forms of a prediction, an exercise and a claim, and what a reader has done."""
