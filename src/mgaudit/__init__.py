"""mgaudit: purity gates over a C++ tree."""

__version__ = "0.1.0"
