"""Boards: stones, chains, areas, ladders, symmetries and text forms, shared by the games. Read `stones` first."""
