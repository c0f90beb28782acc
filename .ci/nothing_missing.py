"""Fail unless the JUnit record of a test run holds every group of tests, and nothing skipped."""

import sys
from xml.etree import ElementTree

GROUPS = (  # how the names of test modules begin
    "tests.test_attention",
    "tests.browser.test_first_screen",
    "tests.browser.test_notebooks_in_lab",
    "tests.claims",
    "tests.encodings",
    "tests.engine",
    "tests.exercises",
    "tests.test_house",
    "tests.test_notebooks",
    "tests.test_pictures",
    "tests.test_run",
)

cases = list(ElementTree.parse(sys.argv[1]).iter("testcase"))
modules = {case.get("classname", "") for case in cases}
missing = [name for name in GROUPS if not any(module.startswith(name) for module in modules)]
skipped = [case.get("name") for case in cases if case.find("skipped") is not None]
if missing or skipped:
    sys.exit(f"Groups without a test: {missing}. Skipped tests: {skipped}.")
print(f"{len(cases)} tests ran, none was skipped, and every group has some.")
