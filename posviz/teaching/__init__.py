"""What an instructor needs beside the notebooks, made from the notebooks themselves."""
