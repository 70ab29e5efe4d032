"""The same objective and gradient by other means, and how long each takes.

``python -m benchmarks.peers`` measures all of them in one run on one core and prints the tables of
``docs/results/benchmarks.md``. Every peer computes J of docs/method/mathematics.md, eq. 5, and its
gradient on the flat vector of `anmmm.gppom.parameters.ParameterLayout` with a free Θ;
`benchmarks.peers.protocol` says what a peer is and lists them.

``python -m benchmarks.peers.decisions`` measures whole decisions of pairs by other methods, in
rounds of the same making; `benchmarks.peers.deciders` lists them.

Importing any module of this package imports none of JAX, PyTorch, causal-learn and lingam: they are
optional.
"""
