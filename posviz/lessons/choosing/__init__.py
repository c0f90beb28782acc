"""Pictures of lesson 13."""
