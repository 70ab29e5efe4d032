"""Compiled kernels: arrays in, arrays out.

Imports NumPy and Numba alone. Everything above composes what is here.
"""
