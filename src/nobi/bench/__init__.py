"""Speed, measured: one file a section, each a list of figures beside those to reach and those of peers."""
