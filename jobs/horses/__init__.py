"""Horses, RQ's word for the children that run jobs. A horse runs many jobs before it is replaced.

It only runs: it reports through a pipe, and its parent, the worker, claims and commits. It can be killed at any moment.
"""
