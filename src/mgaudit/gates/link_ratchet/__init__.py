"""The gate kind ``link-ratchet``: what server objects still need from the frontend only shrinks."""
