"""The web page of `nobi play`: games, sessions and background jobs in plain Python; views with NiceGUI.

Only `server`, `board`, `graph`, `theme` and `views` import NiceGUI; all other modules are tested without a browser.
"""
