"""Loads the project where the processes of storms are forked from."""

import django

django.setup()
