"""System checks: what is wrong with the settings, by name, and what they take."""
