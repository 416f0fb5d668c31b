"""One folder a gate kind: its parameters, its check, its page."""
