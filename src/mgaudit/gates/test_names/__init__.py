"""The gate kind ``test-names``: no test name disappears."""
