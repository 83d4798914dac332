"""Max-min shares, against bytes poured one by one."""

from hypothesis import given
from hypothesis import strategies as st

from tests import slow


def shares(core, demands, available, reserve=41):
    return core.module("allocation").max_min_shares(demands, available, reserve)


@given(st.lists(st.integers(0, 300), max_size=12), st.integers(0, 1500), st.integers(0, 60))
def test_shares_are_those_of_pouring_byte_by_byte(core, demands, left, reserve):
    available = sum(min(demand, reserve) for demand in demands) + left
    assert shares(core, demands, available, reserve) == slow.shares(demands, available, reserve)


@given(st.lists(st.integers(0, 9), max_size=6), st.integers(0, 40), st.integers(0, 3))
def test_shares_of_demands_that_often_meet_the_level(core, demands, left, reserve):
    available = sum(min(demand, reserve) for demand in demands) + left
    assert shares(core, demands, available, reserve) == slow.shares(demands, available, reserve)


def test_demands_at_the_level_leave_the_rest_to_the_others(core):
    assert shares(core, [12, 12, 19], 38, 10) == [12, 12, 14]


def test_six_hundred_large_blocks_get_54_bytes_and_the_first_135_one_more(core):
    available = 65_536 - (600 * 55 + 1)
    assert shares(core, [40_000] * 600, available) == [55] * 135 + [54] * 465


def test_small_demands_are_met_and_leave_more_for_the_others(core):
    assert shares(core, [10, 1000, 50, 1000], 300) == [10, 120, 50, 120]


def test_a_demand_met_by_the_last_byte_is_met(core):
    assert shares(core, [101, 102], 202, 0) == [101, 101]
    assert shares(core, [51, 51, 60], 154, 0) == [51, 51, 52]


def test_nothing_to_share(core):
    assert shares(core, [], 100) == []
    assert shares(core, [0, 0], 0) == [0, 0]
