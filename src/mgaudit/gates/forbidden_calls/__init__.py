"""The gate kind ``forbidden-calls``: the zones call none of the functions and use no retired name."""
