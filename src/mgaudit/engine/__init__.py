"""From a configuration to facts and results: plans the parses, runs them, merges, and runs the gates."""
