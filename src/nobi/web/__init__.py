"""The web page of `nobi play`: games, sessions and background jobs in plain Python; views with NiceGUI.

Only `server`, `elements` and `views` import NiceGUI; all other modules are tested without a browser. `play`, `inside`,
`learn`, `reviewing` and `experiments` hold the state of the views in one browser tab.
"""
