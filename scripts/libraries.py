"""Install released libraries, run their boxes (library_boxes.py) and print a JSON line for each.

    python scripts/libraries.py [part of a name ...] [--cache FOLDER] [--python PYTHON]

PYTHON needs torch 2.13.0 and NumPy. Each library goes into a folder of its own in the cache, without
its dependencies but those below, and comes before what PYTHON has; it runs in a process of its own.
"""
