"""The gate kind ``health``: the answer can be trusted."""
