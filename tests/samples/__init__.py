"""An app of sample jobs: installed for the tests only, found as any app's jobs are."""
