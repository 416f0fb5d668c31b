"""``python -m mgaudit``."""

from mgaudit.cli import main

raise SystemExit(main())
