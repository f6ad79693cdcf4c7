"""Shared by the tests of networks: boards, weights, the eight symmetries, and the reference implementations."""

import numpy as np

from nobi.networks import make_network
from reference import networks as plain

SYMMETRIES = {
    f"{'mirrored, ' * mirrored}{turns} quarter turns": (turns, mirrored) for mirrored in (0, 1) for turns in range(4)
}


def transformed(boards, turns, mirrored):
    """Arrays [..., n, n] after an optional left-right reflection and some quarter turns."""
    return np.rot90(boards[..., ::-1] if mirrored else boards, turns, axes=(-2, -1))


def random_boards(batch, size, rng):
    """Own and enemy stones, [batch, n, n] each, from nearly empty boards to full ones."""
    stones = rng.random((batch, 1, 1)) > rng.random((batch, size, size))
    own = rng.random((batch, size, size)) < 0.5
    return (stones & own).astype(np.int8), (stones & ~own).astype(np.int8)


def joined(groups):
    """The weight vector whose `split` gives these groups."""
    return np.concatenate([group.ravel() for group in groups.values()]).astype(np.float32)


def calm_weights(net, size, rng):
    """Random weights that do not amplify rounding errors; no output except an MLP's exceeds 1.

    With N(0, 1) throughout, many hidden units on a large board are chaotic: single and double precision differ as
    much as two unrelated networks.
    """
    groups = net.split(net.random_weights(size, rng), size)
    for name, group in groups.items():
        if name.endswith("recurrent") or (name.endswith(".input") and name != "layer1.input"):
            group /= 4 * np.sqrt(group.shape[1])
    groups["output"] /= 8 * np.abs(groups["output"]).sum(axis=-1, keepdims=True)
    return joined(groups)


def twin_outputs(spec, weights, own, enemy):
    """The outputs [n, n] of the reference implementation of a network for one board."""
    net = make_network(spec)
    name, _, rest = spec.partition(":")
    settings = dict(part.split("=") for part in rest.split(","))
    groups = {group: w.astype(float) for group, w in net.split(weights, len(own)).items()}
    own, enemy = own.astype(float), enemy.astype(float)
    if name == "conv":
        k, p, planes = (int(settings[key]) for key in ("features", "width", "planes"))
        filters, padding = groups["filters"].reshape(k, planes, p, p), groups["padding"].reshape(planes)
        return plain.conv(own, enemy, filters, groups["output"], padding, planes)
    if name == "mlp":
        w_in = groups["input"].reshape(int(settings["hidden"]), -1)
        biases = groups["hidden_bias"], groups["output_bias"]
        return plain.mlp(own, enemy, w_in, biases[0], groups["output"], biases[1], settings["unit"])
    kind = {key: value for key, value in settings.items() if key in ("cell", "mode", "border")}
    if name == "stacked":
        layers = [layer_of(groups, f"layer{i + 1}.") for i in range(int(settings["layers"]))]
        return plain.stacked(own, enemy, layers, groups["output"], **kind)
    w_in, w_h, w_b = layer_of(groups, "")
    return {"mdrnn": plain.mdrnn, "mdlstm": plain.mdlstm}[name](own, enemy, w_in, w_h, groups["output"], w_b, **kind)


def layer_of(groups, prefix):
    return [groups[prefix + part] for part in ("input", "recurrent", "border")]
