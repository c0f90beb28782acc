"""The course as a website: its index, gallery, search, glossary, claims and sources."""
