"""The web page of `nobi play`: games, sessions and background jobs in plain Python, and views made with NiceGUI.

Only `server`, `board`, `graph`, `theme` and `views` import NiceGUI; everything else is tested without a browser.
"""
