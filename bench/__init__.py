"""Benchmarks: what acpbound costs, beside its peers in the same run."""
