"""What an instructor needs beside the notebooks: exercises to hand out, a guide, a quiz."""
