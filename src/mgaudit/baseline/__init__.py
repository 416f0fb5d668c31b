"""The ratchet: accepted findings that may only shrink."""
