"""Files named by their content once `collectstatic` has run, and by their plain names before."""

from django.contrib.staticfiles.storage import ManifestStaticFilesStorage


class HashedFiles(ManifestStaticFilesStorage):
    """Needs no `collectstatic` to start with."""

    def stored_name(self, name: str) -> str:
        return str(super().stored_name(name)) if self.hashed_files else name
