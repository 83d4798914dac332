"""The numbers of the contract, literally."""

import json

import pytest


def test_the_constants(core):
    contract = core.module("contract")
    assert core.BUDGET == 65_536
    assert core.MARKER == "\n[... truncated for ACP transport ...]\n"
    assert core.MIN_BUDGET == 97
    assert contract.MARKER_PAYLOAD == 41
    assert contract.QUOTES_BYTES == 2


@pytest.mark.parametrize("blocks", [0, 1, 2, 3, 1191, 1192])
def test_structure_is_the_json_of_content_with_empty_texts(core, blocks):
    contract = core.module("contract")
    empty = [contract.text_block("") for _ in range(blocks)]
    expected = len(json.dumps(empty, separators=(",", ":")))
    assert contract.structure_bytes(blocks) == expected


def test_the_collapsed_form_is_the_smallest_budget(core):
    contract = core.module("contract")
    collapsed = [contract.text_block(core.MARKER)]
    assert len(json.dumps(collapsed, separators=(",", ":"))) == core.MIN_BUDGET


@pytest.mark.parametrize("budget", [96, 64, 0, -1, -(2**70)])
def test_a_budget_below_the_collapsed_form_is_refused_with_the_reason(core, budget):
    with pytest.raises(ValueError, match=f"budget {budget} is below 97, the size of a collapsed"):
        core.Projector(budget)


@pytest.mark.parametrize("budget", [None, "65536", 65536.0, [97]])
def test_a_budget_that_is_no_integer_is_a_type_error(core, budget):
    with pytest.raises(TypeError):
        core.Projector(budget)


@pytest.mark.parametrize("budget", [97, 98, 2**63, 2**70])
def test_any_other_budget_is_taken(core, budget):
    assert core.Projector(budget).budget == budget
    assert repr(core.Projector(budget)) == f"Projector({budget}, ensure_ascii=False)"


def test_the_public_names(core):
    assert set(core.__all__) == {
        "BUDGET",
        "IMPLEMENTATION",
        "MARKER",
        "MIN_BUDGET",
        "BoundedField",
        "FieldLeftAlone",
        "Projector",
        "__version__",
        "json_size",
        "project_update",
    }
    assert all(hasattr(core, name) for name in core.__all__)
