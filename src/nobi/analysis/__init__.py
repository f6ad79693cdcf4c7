"""KataGo's JSON analysis protocol: queries, one JSON object per line, and answers as soon as they are ready.

Read in this order: `query.py` (queries), `position.py` (the board of a turn), `scheduler.py` (the searches of turns,
many on shared cores), `answers.py` (results as JSON), `engine.py` (input lines and actions), `settings.py` (defaults,
configuration files).
"""
