"""xPos: a rotation that also forgets, and a mask that keeps every distance familiar."""
