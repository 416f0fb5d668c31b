"""The gate kind ``dirty-surface``: every mutator owes the publishers that fire on each of its mutating paths."""
