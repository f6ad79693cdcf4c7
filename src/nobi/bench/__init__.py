"""Measured speeds, for `nobi bench`. Every module has lists of cases; a case takes the seconds of one repeat."""
