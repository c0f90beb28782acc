"""Pictures of lesson 12: who still finds his way past the trained length, and what is inside."""
