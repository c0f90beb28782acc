#!/usr/bin/env bash
# Package: torch-geometric 2.8.1, AddLaplacianEigenvectorPE (torch 2.13.0). Seen on 2026-11-28.
# Guess: on an undirected graph the columns are orthonormal whatever is_undirected says (its help
# promises more speed), and the same graph gives the same positions twice.
# Instead: the default, False, takes the solver for any matrix, and where an eigenvalue comes twice
# (as in every ring) two columns lean on each other; True gives orthonormal ones. Both draw a
# sign for each column on each call, so positions of a dataset made twice do not fit.
# Seen: rings of 5 to 16 nodes: largest scalar product of two columns 0.06 to 0.59, with True
#       below 1e-6; in 20 calls each of the first two columns had both signs.

set -euo pipefail
d=$(mktemp -d); trap 'rm -rf "$d"' EXIT
python3 -m venv "$d/v"
"$d/v/bin/pip" install -q --disable-pip-version-check torch==2.13.0 torch-geometric==2.8.1 numpy==2.4.6 scipy==1.17.1
"$d/v/bin/python" - <<'PY'
import torch
from torch_geometric.data import Data
from torch_geometric.transforms import AddLaplacianEigenvectorPE

def ring(n, columns, undirected):
    there = torch.arange(n)
    edges = torch.stack([there, (there + 1) % n])
    graph = Data(edge_index=torch.cat([edges, edges.flip(0)], 1), num_nodes=n)
    return AddLaplacianEigenvectorPE(columns, "pe", is_undirected=undirected)(graph).pe

def lean(pe):
    return (pe.T @ pe - torch.eye(pe.shape[1])).abs().max().item()

torch.manual_seed(0)
for undirected in (False, True):
    worst = {n: round(lean(ring(n, n - 1, undirected)), 4) for n in range(5, 17)}
    print("is_undirected", undirected, worst)
    assert (max(worst.values()) > 0.05) == (not undirected)
signs = torch.stack([ring(8, 2, True)[1].sign() for _ in range(20)])
print("signs of node 1 in 20 calls", signs.sum(0).tolist())
assert all({-1.0, 1.0} <= set(column.tolist()) for column in signs.T)
PY
