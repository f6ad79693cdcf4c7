#!/usr/bin/env bash
# Gradient training on four Slurm nodes: sbatch examples/cluster/slurm-imitate.sh runs/large --data data/kgs …
# The arguments are those of nobi imitate. Run folder and datasets are on a file system that the nodes share.
#SBATCH --job-name=nobi-imitate
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=32
#SBATCH --time=12:00:00
set -euo pipefail

processes=${PROCESSES_PER_NODE:-2}
head=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
export OMP_NUM_THREADS=$((SLURM_CPUS_PER_TASK / processes)) OMP_WAIT_POLICY=passive
# --resume continues after a time limit or a lost node, with bit-identical results
srun torchrun --nnodes="$SLURM_JOB_NUM_NODES" --nproc-per-node="$processes" --rdzv-id="$SLURM_JOB_ID" \
    --rdzv-backend=c10d --rdzv-endpoint="$head:29500" -m -- nobi imitate "$@" --resume
