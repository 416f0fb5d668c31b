"""The gate kind ``doc-citations``: every file:line that a document cites holds what it says."""
