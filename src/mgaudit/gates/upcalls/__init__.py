"""The gate kind ``upcalls``: every call or reference from the backend into the frontend is mapped."""
