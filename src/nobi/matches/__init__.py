"""Matches between bots, game by game: engines, referees, openings, match folders.

The arena (`nobi.arena`) plays games of compiled players thousands of times faster.
"""
