"""What an observer is told: counts of every bounded field, and nothing else."""

import logging

from tests.strategies import block, tool_update, wire_bytes

BIG = "q" * 70_000


def observed(core, update, **options):
    seen = []
    bounded = core.Projector(observer=seen.append, **options).project_update(update)
    return seen, bounded


def test_one_call_for_each_bounded_field(core):
    seen, bounded = observed(core, tool_update("small", BIG, "s" * 80_000, rawOutput="r" * 66_000))
    assert seen == [
        core.BoundedField(
            field="content",
            blocks=3,
            reduced_blocks=2,
            collapsed=False,
            bytes_after=len(wire_bytes(bounded["content"])),
            characters_before=5 + 70_000 + 80_000,
        ),
        core.BoundedField(
            field="rawOutput",
            blocks=1,
            reduced_blocks=1,
            collapsed=False,
            bytes_after=len(wire_bytes(bounded["rawOutput"])),
            characters_before=66_000,
        ),
    ]


def test_equal_fields_report_the_bytes_that_each_of_them_takes(core):
    for ensure_ascii in (False, True):
        text = "汉" * 70_000
        update = tool_update(text, rawOutput=text)
        seen, bounded = observed(core, update, ensure_ascii=ensure_ascii)
        assert [(one.field, one.bytes_after) for one in seen] == [
            (field, len(wire_bytes(bounded[field], ensure_ascii)))
            for field in ("content", "rawOutput")
        ]


def test_a_collapse_reduces_all_blocks(core):
    seen, _ = observed(core, tool_update(*["t" * 100] * 700))
    assert seen == [core.BoundedField("content", 700, 700, True, 97, 70_000)]


def test_nothing_is_reported_when_nothing_is_bounded(core):
    for update in (
        tool_update("small", rawOutput="small"),
        tool_update(BIG, _meta={"serverId": "a2ui"}),
        tool_update(BIG, sessionUpdate="plan"),
    ):
        assert observed(core, update)[0] == []


def test_fields_given_alone_are_reported_too(core):
    seen = []
    projector = core.Projector(observer=seen.append)
    projector.project_text(BIG)
    projector.project_content([block(BIG)])
    assert [one.field for one in seen] == ["rawOutput", "content"]


def test_an_observer_that_raises_is_logged_once_and_delivery_goes_on(core, caplog):
    def failing(_bounded):
        raise RuntimeError("observer is broken")

    projector = core.Projector(observer=failing)
    with caplog.at_level(logging.ERROR, logger="acpbound"):
        for _ in range(3):
            bounded = projector.project_update(tool_update(BIG, rawOutput=BIG))
            assert bounded == core.project_update(tool_update(BIG, rawOutput=BIG))
    assert len(caplog.records) == 1
    assert BIG[:100] not in caplog.text
    assert "observer is broken" in caplog.text
