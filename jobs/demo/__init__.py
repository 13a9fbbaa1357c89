"""Believable traffic to look at: jobs, what enqueues them, and what goes wrong now and then."""
