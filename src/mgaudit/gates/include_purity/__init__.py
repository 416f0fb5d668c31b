"""The gate kind ``include-purity``: no file of a forbidden zone is in an include closure of the zones under guard."""
