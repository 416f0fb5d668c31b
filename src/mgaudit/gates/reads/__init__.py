"""The gate kind ``reads``: every read of frontend state is mapped to a catalogue entry."""
