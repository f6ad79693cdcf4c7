"""What the games share: stones, chains, rows, areas, and their text forms. Read `stones` first."""
