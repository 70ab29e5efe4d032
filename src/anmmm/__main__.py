"""The command ``anmmm``, which ``python -m anmmm`` is too."""

import signal

# While the command loads, Ctrl-C ends it as it ends programs that do not listen: there is nothing
# to be kept yet, and a traceback of imports helps nobody.
if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from anmmm.cli import main

if __name__ == "__main__":
    main()
