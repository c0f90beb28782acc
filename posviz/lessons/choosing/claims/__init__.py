"""Claims of lesson 13."""
