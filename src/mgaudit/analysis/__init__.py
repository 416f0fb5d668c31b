"""What several gates need on top of facts and graphs."""
