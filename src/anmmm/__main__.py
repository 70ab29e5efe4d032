"""``python -m anmmm`` is the command ``anmmm``."""

from anmmm.cli import main

main()
