"""The gate kind ``generated``: a generated file is what would be generated now."""
