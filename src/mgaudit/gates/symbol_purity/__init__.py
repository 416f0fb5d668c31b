"""The gate kind ``symbol-purity``: the server's binaries, or the sources before any build, need no forbidden symbol."""
