"""The gate kind ``writebacks``: every change that the backend makes to a frontend object is mapped."""
