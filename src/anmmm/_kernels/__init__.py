"""Compiled kernels: arrays in, arrays out. Imports only NumPy and Numba."""
