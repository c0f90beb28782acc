"""What leaves the notebooks: pages and slides without a kernel."""
