"""The gate kind ``mutations``: a frontend function that reaches the backend and changes state owes a verdict."""
