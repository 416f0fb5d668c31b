"""The gate kind ``frozen``: named functions and regions equal their reference."""
