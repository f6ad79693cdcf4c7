"""Matches between bots, game by game: engines, referees, openings, match folders.

The arena (`nobi.arena`) plays compiled players thousands of times as fast.
"""
