"""The Jobs page: lists by state, each job's own page, and all that may be done to jobs."""
