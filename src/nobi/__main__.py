"""`python -m nobi`, the same as `nobi`."""

from nobi.cli import main

main()
