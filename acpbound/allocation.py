"""Max-min shares of a byte budget.

Every text first keeps its reserve (room for a marker), or its whole demand if that is less. What
is left is poured evenly: the lowest demands fill up first, and each that is full leaves more for
the others. The last few bytes go one each to the texts still unmet, in order, so that the same
demands always give the same shares.

Rules: only numbers here; nothing knows what the bytes are for.
"""

from __future__ import annotations

from collections.abc import Sequence


def max_min_shares(demands: Sequence[int], available: int, reserve: int) -> list[int]:
    """Shares in bytes, one for each demand, that add up to ``available`` unless all are met.

    ``available`` must cover the reserves, ``sum(min(demand, reserve))``. A share never exceeds
    its demand; a demand that is met has a share equal to it.
    """
    left = available - sum(min(demand, reserve) for demand in demands)
    unmet = sorted(demand - reserve for demand in demands if demand > reserve)
    level = remainder = 0
    for met, extra in enumerate(unmet):
        level, remainder = divmod(left, len(unmet) - met)
        if extra > level:
            break
        left -= extra
    shares = []
    for demand in demands:
        share = min(demand, reserve + level)
        if share < demand and remainder:
            share += 1
            remainder -= 1
        shares.append(share)
    return shares
