#!/usr/bin/env bash
# Games on four nodes of a Slurm cluster: sbatch examples/cluster/slurm-evolve.sh evolve runs/large --generations 500 …
# The arguments are those of nobi, without --executor. The home folder is shared by the nodes; nobi is installed in it.
#SBATCH --job-name=nobi
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=32
#SBATCH --time=12:00:00
set -euo pipefail

port=6379
head=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
head_ip=$(srun --nodes=1 --ntasks=1 --nodelist="$head" hostname --ip-address | awk '{print $1}')
export RAY_AUTH_MODE=token RAY_USAGE_STATS_ENABLED=0 RAY_worker_niceness=0
RAY_AUTH_TOKEN=$(python3 -c 'import secrets; print(secrets.token_hex(32))')
export RAY_AUTH_TOKEN
# compiled code is kept on the local disk of each node
export NOBI_CACHE_DIR=${SLURM_TMPDIR:-/tmp}/nobi-$USER

srun --nodes=1 --ntasks=1 --nodelist="$head" ray start --head --node-ip-address="$head_ip" --port="$port" \
    --num-cpus="$SLURM_CPUS_PER_TASK" --include-dashboard=false --block &
sleep 15
others=$((SLURM_JOB_NUM_NODES - 1))
if [ "$others" -gt 0 ]; then
    srun --nodes="$others" --ntasks="$others" --exclude="$head" ray start --address="$head_ip:$port" \
        --num-cpus="$SLURM_CPUS_PER_TASK" --block &
    sleep 15
fi
# the command runs on the node of the head; --resume continues after a time limit or a lost node
RAY_ADDRESS="$head_ip:$port" srun --overlap --nodes=1 --ntasks=1 --nodelist="$head" nobi "$@" --executor ray --resume
