"""KataGo's JSON analysis protocol: one JSON object per line in, answers as they are ready.

Read in this order: `query.py` (what is asked), `position.py` (the board of a turn), `scheduler.py` (the searches of
turns, many on shared cores), `answers.py` (results as JSON), `engine.py` (lines and actions), `settings.py` (defaults,
configuration files).
"""
