"""The cluster examples, checked without a cluster."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent.parent
FOLDER = ROOT / "examples" / "cluster"


def instructions(text):
    """The instructions of a Dockerfile: (keyword, the rest), with continued lines joined."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ").splitlines()
    return [tuple(line.split(maxsplit=1)) for line in joined]


def test_ray_accepts_the_cluster_file():
    from ray.autoscaler._private.util import prepare_config, validate_config

    config = yaml.safe_load((FOLDER / "ray-cluster.yaml").read_text())
    complete = prepare_config(config)
    validate_config(complete)
    assert complete["max_workers"] == len(config["provider"]["worker_ips"])
    assert all(
        "RAY_AUTH_MODE=token" in commands[-1] for key, commands in config.items() if key.endswith("ray_commands")
    )
    assert "--head" in config["head_start_ray_commands"][-1]
    assert "--address=$RAY_HEAD_IP:6379" in config["worker_start_ray_commands"][-1]


def test_files_copied_into_the_image_exist():
    found = instructions((FOLDER / "Dockerfile").read_text())
    assert found[0] == ("FROM", "python:3.11-slim")
    assert {keyword for keyword, _ in found} == {"FROM", "RUN", "WORKDIR", "COPY", "USER", "ENV", "CMD"}
    for keyword, rest in found:
        if keyword == "COPY":
            *sources, _ = rest.split()
            for source in sources:
                assert (ROOT / source).exists(), source
        if keyword == "RUN":
            subprocess.run(["bash", "-n", "-c", rest], check=True)
    # the files that the package build needs are copied
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert set(re.search(r"\.\[([a-z,]+)\]", str(found))[1].split(",")) <= set(
        project["project"]["optional-dependencies"]
    )
    copied = " ".join(rest for keyword, rest in found if keyword == "COPY").split()
    assert {"pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "src", "docs/studies"} <= set(copied)
    users = [i for i, (keyword, _) in enumerate(found) if keyword == "USER"]
    assert users
    assert found[users[-1]][1] != "root"


def test_the_cluster_file_and_the_image_agree():
    config = yaml.safe_load((FOLDER / "ray-cluster.yaml").read_text())
    found = instructions((FOLDER / "Dockerfile").read_text())
    home = f"/home/{dict(found)['USER']}/"
    assert all(path.startswith(home) for path in config["file_mounts"])
    assert f"--tag {config['docker']['image']} " in (FOLDER / "Dockerfile").read_text()
    environment = dict(part.split("=", 1) for part in dict(found)["ENV"].split())
    assert environment["RAY_AUTH_MODE"] == "token"
    assert any(environment["NOBI_CACHE_DIR"] in option for option in config["docker"]["run_options"])


RECORD = """#!/bin/sh
echo "$(basename $0) $@" >> "$RECORD"
case "$(basename $0)" in
    scontrol) printf 'node1\\nnode2\\n' ;;
    hostname) echo 10.0.0.1 ;;
    srun) while [ "${1#--}" != "$1" ]; do shift; done; exec "$@" ;;
esac
"""


@pytest.mark.parametrize(
    ("script", "command", "flags"),
    [
        ("slurm-evolve.sh", "nobi evolve run --generations 2 --executor ray --resume", "evolve run --generations 2"),
        ("slurm-imitate.sh", "-m -- nobi imitate run --data d --resume", "run --data d"),
    ],
)
def test_slurm_scripts_start_the_command(tmp_path, script, command, flags):
    """With stubs for the programs of Slurm, Ray and nobi that record their arguments."""
    for name in ("scontrol", "srun", "hostname", "ray", "nobi", "torchrun", "sleep"):
        (tmp_path / name).write_text(RECORD)
        (tmp_path / name).chmod(0o755)
    slurm = {
        "SLURM_JOB_NODELIST": "node[1-2]",
        "SLURM_JOB_NUM_NODES": "2",
        "SLURM_CPUS_PER_TASK": "8",
        "SLURM_JOB_ID": "7",
    }
    path = f"{tmp_path}:{Path(sys.executable).parent}:/usr/bin:/bin"
    environment = {**slurm, "PATH": path, "RECORD": str(tmp_path / "record"), "USER": "player", "HOME": str(tmp_path)}
    done = subprocess.run(
        ["bash", str(FOLDER / script), *flags.split()], env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    calls = (tmp_path / "record").read_text()
    assert command in calls
    assert os.access(FOLDER / script, os.X_OK)
    if script == "slurm-evolve.sh":
        assert "ray start --head --node-ip-address=10.0.0.1 --port=6379 --num-cpus=8" in calls
        assert "ray start --address=10.0.0.1:6379 --num-cpus=8" in calls
    else:
        assert "--nnodes=2 --nproc-per-node=2 --rdzv-id=7 --rdzv-backend=c10d --rdzv-endpoint=node1:29500" in calls
