"""Every game of nobi as a PettingZoo environment: `nobi.pettingzoo.env("atari-go", size=7)`.

Two agents, `black` and `white`, move alternately. An action is a cell, row · n + column from the top left; the last
action, n², is a pass if the game has one. An observation has three planes (own stones, enemy stones, ones if the agent
is white) and the mask of legal actions. The rewards are +1 for the winner, −1 for the loser, 0 for a draw. An illegal
action loses the game, as in PettingZoo's own board games.
"""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import BLACK, DRAW, EMPTY, PASS, WHITE, board_points
from nobi.errors import NobiError
from nobi.games import variant
from nobi.spec import choices

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ModuleNotFoundError as error:
    raise NobiError(f"The environments need {error.name}; install it with pip install 'nobi[rl]'.") from None

AGENTS = {"black": BLACK, "white": WHITE}
_CELL = 24
"""Pixels from line to line."""
_WOOD, _LINE, _BLACK, _WHITE = (220, 179, 92), (70, 50, 20), (20, 20, 20), (245, 245, 240)


class BoardEnv(AECEnv):  # type: ignore[misc]
    """One game of two agents, without the wrappers that check for incorrect use."""

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": ["ansi", "rgb_array"],
        "name": "nobi_v0",
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(self, game: str = "atari-go", size: int = 7, render_mode: str | None = None) -> None:
        super().__init__()
        modes = self.metadata["render_modes"]
        if render_mode not in (None, *modes):
            raise NobiError(f"render_mode cannot be {render_mode!r}; {choices(modes, str(render_mode))}.")
        self.variant = variant(game, size)
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        self._points = [int(point) for point in board_points(size)]
        self._cell_of = {point: cell for cell, point in enumerate(self._points)} | {PASS: size * size}
        actions = size * size + self.variant.game.has_pass
        observation: dict[str, spaces.Space[Any]] = {
            "observation": spaces.Box(0, 1, (size, size, 3), np.int8),
            "action_mask": spaces.Box(0, 1, (actions,), np.int8),
        }
        self.observation_spaces = {agent: spaces.Dict(observation) for agent in AGENTS}
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in AGENTS}
        self.game = self.variant.new()

    def observation_space(self, agent: str) -> spaces.Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Start a new game; `seed` has no effect, since nothing is random."""
        self.game = self.variant.new()
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self._agent_to_move()

    def observe(self, agent: str) -> dict[str, NDArray[np.int8]]:
        """Return the planes for an agent, and its legal actions: none if it is not its turn."""
        size, me = self.variant.size, AGENTS[agent]
        colours = self.game.boards.stones.colour[0, self._points].reshape(size, size)
        own, enemy = colours == me, (colours != me) & (colours != EMPTY)
        turn = np.full((size, size), me == WHITE)
        mask = np.zeros(self.action_space(agent).n, np.int8)
        if self.agents and agent == self.agent_selection:
            mask[[self._cell_of[move] for move in self.game.legal_moves()]] = 1
        return {"observation": np.stack([own, enemy, turn], -1).astype(np.int8), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Play a cell or a pass for the agent to move."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        move = PASS if action == self.variant.size**2 else self._points[int(action or 0)]
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        legal = self.game.is_legal(move)
        if legal:
            self.game.play(move)
        if not legal or self.game.is_over:
            self._end(agent if not legal else None)
            [self.agent_selection] = AGENTS.keys() - {agent}
        else:
            self.agent_selection = self._agent_to_move()
        self._accumulate_rewards()

    def _agent_to_move(self) -> str:
        return next(agent for agent, colour in AGENTS.items() if colour == self.game.to_move)

    def _end(self, loser: str | None) -> None:
        outcome = self.game.outcome
        for agent, colour in AGENTS.items():
            if loser is not None:
                self.rewards[agent] = -1.0 if agent == loser else 1.0
            else:
                self.rewards[agent] = 0.0 if outcome == DRAW else 1.0 if outcome == colour else -1.0
            self.terminations[agent] = True

    def render(self) -> str | NDArray[np.uint8] | None:
        """Return the board as text (`ansi`) or as a picture uint8[h, w, 3] (`rgb_array`)."""
        if self.render_mode == "ansi":
            return str(self.game)
        return self._picture() if self.render_mode == "rgb_array" else None

    def _picture(self) -> NDArray[np.uint8]:
        size = self.variant.size
        side = _CELL * (size + 1)
        picture = np.empty((side, side, 3), np.uint8)
        picture[:] = _WOOD
        for line in range(1, size + 1):
            at, ends = line * _CELL, slice(_CELL, size * _CELL + 1)
            picture[at, ends] = picture[ends, at] = _LINE
        rows, columns = np.mgrid[:side, :side]
        for point in self._points:
            colour = self.game.colour(point)
            if colour != EMPTY:
                row, column = divmod(self._cell_of[point], size)
                near = (rows - (row + 1) * _CELL) ** 2 + (columns - (column + 1) * _CELL) ** 2 <= (0.46 * _CELL) ** 2
                picture[near] = _BLACK if colour == BLACK else _WHITE
        return picture

    def close(self) -> None:
        pass


def env(game: str = "atari-go", size: int = 7, render_mode: str | None = None) -> AECEnv:
    """Return the environment of a game such as `go:komi=5.5`, with PettingZoo's wrappers that report incorrect use.

    >>> environment = nobi.pettingzoo.env("atari-go", size=5)
    >>> environment.reset(seed=0)
    >>> environment.agent_selection, int(environment.observe("black")["action_mask"].sum())
    ('black', 25)
    """
    wrapped = wrappers.TerminateIllegalWrapper(BoardEnv(game, size, render_mode), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))
