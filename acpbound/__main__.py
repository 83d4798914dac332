"""``python -m acpbound``: the same as the ``acpbound`` command."""

from acpbound.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
