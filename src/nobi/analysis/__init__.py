"""KataGo's JSON analysis protocol: one JSON object per line in, answers as they are ready.

Read in this order: `query.py` (what is asked), `position.py` (the board of a turn), `task.py` (the search of one turn),
`scheduler.py` (many searches on shared cores), `answers.py` (results as JSON), `engine.py` (lines and actions),
`settings.py` (defaults, configuration files).
"""
