"""Players from model files: what the header names decides which kind of player it is."""

from pathlib import Path

from nobi.errors import NobiError
from nobi.games.base import Variant
from nobi.networks.model import model_in
from nobi.networks.modelfile import DEEP, ModelFile, read_model_file
from nobi.players.base import Player
from nobi.players.network import NetworkSettings, player_of_model
from nobi.words import settings_from


def player_from_file(path: str, variant: Variant, given: dict[str, str], word: str) -> Player:
    """The player that a model file holds, with the settings `given` in the word."""
    return player_in(read_model_file(Path(path)), variant, given, word)


def player_in(file: ModelFile, variant: Variant, given: dict[str, str] | None = None, word: str = "") -> Player:
    """The player that the model in a file is, with the settings `given` in the word."""
    path, word, settings = str(file.path), word or str(file.path), given or {}
    if file.format != DEEP:
        return player_of_model(model_in(file), path, variant, settings_from(NetworkSettings, settings, word))
    from nobi.networks.deep.playing import compiled_in
    from nobi.players.policy import PolicyPlayer, PolicySettings, policy_player

    network = compiled_in(file)
    if network is not None:
        if variant.game.name != "go":
            raise NobiError(f"The network of {path!r} plays go, not {variant.game.name}.")
        return PolicyPlayer(variant, network, settings_from(PolicySettings, settings, word), path)
    try:
        from nobi.networks.deep.store import deep_model_in
    except ModuleNotFoundError as fault:
        if fault.name != "torch":
            raise
        raise NobiError(f"{path!r} needs PyTorch; install it with pip install 'nobi[deep]'.") from None
    return policy_player(deep_model_in(file), path, variant, settings_from(PolicySettings, settings, word))
