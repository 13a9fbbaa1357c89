"""The shared cache."""
