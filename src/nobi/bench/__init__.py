"""Measured speeds, for `nobi bench`. Every module has lists of cases; a case is called with the seconds per repeat."""
