"""Keeps the parts of one machine running: starts them, restarts what dies, ends them in order."""
