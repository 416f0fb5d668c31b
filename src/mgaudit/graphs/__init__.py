"""Include, call and symbol graphs, and the questions asked of them."""
