"""How time and memory grow with N, measured by asv (``asv.conf.json``).

asv imports every module of this folder, as the package ``speed``, into an environment that holds
`anmmm` and what it requires, nothing else. Modules therefore import each other relatively and no
optional library; everything else below ``benchmarks`` may.

Parameters by which lines are told apart come before the one that is the axis: asv's page draws all
values of the first at once.
"""
