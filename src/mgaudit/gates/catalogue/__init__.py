"""The gate kind ``catalogue``: the catalogues agree with themselves, with each other and with the code."""
