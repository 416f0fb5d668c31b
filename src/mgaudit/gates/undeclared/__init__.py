"""The gate kind ``undeclared``: the zones under guard do not name an entity, however spelled."""
