"""The gate kind ``memo-keys``: a cache key is a handle or a value."""
