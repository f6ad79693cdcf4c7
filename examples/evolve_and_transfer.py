"""Evolve a network on a small board and measure it on larger ones."""

import nobi

run = nobi.evolve(game="atari-go", sizes=[5], net="mdrnn:hidden=3", generations=30, games=50, seed=1)
for line in run.metrics()[::5]:
    print(f"generation {line['generation']:2d}  mean {line['mean']:+.2f}  best {line['best']:+.2f}")

report = nobi.transfer(run.champion(), sizes=[5, 7, 9], games=200, seed=2)
for row in report.sizes:
    interval = row.fitness
    print(f"{row.size}x{row.size}: {interval.value:+.2f}, 95 % interval {interval.low:+.2f} to {interval.high:+.2f}")
