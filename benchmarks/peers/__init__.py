"""The same objective and gradient by other means, and how long each takes.

``python -m benchmarks.peers`` measures all of them in one run on one core and prints the tables of
``docs/results/benchmarks.md``. Every peer computes J of docs/method/mathematics.md, eq. 5, and its
gradient on the flat vector of `anmmm.gppom.parameters.ParameterLayout` with a free Θ;
`benchmarks.peers.protocol` says what a peer is and lists them.

Importing any module of this package imports neither JAX nor PyTorch: both are optional.
"""
