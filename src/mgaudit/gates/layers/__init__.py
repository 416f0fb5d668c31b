"""The gate kind ``layers``: each zone uses only the zones below it."""
