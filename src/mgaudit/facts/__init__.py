"""The fact store: per-unit facts cached by content, merged, and queried."""
