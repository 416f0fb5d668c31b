"""Pure values: what the rest of mgaudit talks about. No module here does I/O."""
