"""The gate kind ``closure-probe``: a named header keeps a closure fit for what it is for."""
