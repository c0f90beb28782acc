"""What leaves the notebooks: figures by the dozen, pages and slides without a kernel."""
