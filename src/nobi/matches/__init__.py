"""Games between bots, one at a time: engines, referees, openings, match folders, Elo.

Players that are compiled meet in the arena, which is thousands of times as fast (`nobi.arena`).
"""
