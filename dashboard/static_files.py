"""Files named by their content and compressed once `collectstatic` has run, and by their plain names before."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # whitenoise has no types
    """Needs no `collectstatic` to start with."""

    def stored_name(self, name: str) -> str:
        return str(super().stored_name(name)) if self.hashed_files else name
