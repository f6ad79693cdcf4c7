"""The Go Text Protocol, version 2: our side of it as an engine, and other engines as players."""
