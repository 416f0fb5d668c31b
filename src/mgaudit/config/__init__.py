"""From ``mgaudit.toml`` to a typed model; every error carries its line."""
