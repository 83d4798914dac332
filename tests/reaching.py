"""What holds of a field that was named and bounded; nothing here imports acpbound."""

from tests.strategies import wire_bytes
from tests.test_structure import emptied

MARKER = "\n[... truncated for ACP transport ...]\n"


def assert_field_bounded(field, delivered, said, *, ensure_ascii=False, budget=65_536):
    """The field of ``said`` fits in its new form and fills its budget; all else is as it was.

    Texts of under 100 characters are whole, longer ones cut.
    """
    assert budget - 200 < len(wire_bytes(delivered[field], ensure_ascii)) <= budget
    assert {**delivered, field: None} == {**said, field: None}
    (shape, texts), (new_shape, new_texts) = emptied(said[field]), emptied(delivered[field])
    assert wire_bytes(new_shape) == wire_bytes(shape)
    for old, new in zip(texts, new_texts, strict=True):
        assert new == old if len(old) < 100 else MARKER in new
