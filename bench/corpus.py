"""Seeded texts and updates for the benchmarks: the same bytes on every machine."""

import random

SEED = 20261202


def log_text(characters):
    """Log lines with timestamps, quotes, Windows paths and the odd non-ASCII word."""
    rng = random.Random(SEED)
    lines = []
    length = 0
    while length < characters:
        line = (
            f"2026-12-02T08:{rng.randrange(60):02}:{rng.randrange(60):02}.{rng.randrange(1000):03} "
            f"{rng.choice(['INFO', 'WARN', 'DEBUG'])} worker-{rng.randrange(32)} "
            f'handled "GET /api/v1/items/{rng.randrange(10**6)}" in {rng.randrange(900)} ms '
            f"from C:\\svc\\{rng.choice(['alpha', 'beta', 'gamma'])}\\run.log\n"
        )
        lines.append(line)
        length += len(line)
    return "".join(lines)[:characters]


def blocks(*texts):
    return [{"type": "content", "content": {"type": "text", "text": text}} for text in texts]


def update(*texts, raw_output=None):
    members = {"sessionUpdate": "tool_call_update", "toolCallId": "call-1", "status": "completed"}
    if texts:
        members["content"] = blocks(*texts)
    if raw_output is not None:
        members["rawOutput"] = raw_output
    return members


def _both(text):
    # Two string objects, as a frame read from the wire has them.
    return update(text, raw_output=(text + "x")[:-1])


def cases():
    """The cases of the first bench, by name."""
    small = log_text(600)
    large = log_text(10_000_000)
    return {
        "small": _both(small),
        "40 KB log, both fields": _both(log_text(40_000)),
        "500 KB ASCII, both fields": _both("a" * 500_000),
        "500,001 CJK, both fields": _both("\u6c49" * 500_001),
        "250,000 emoji, both fields": _both("\U0001f600" * 250_000),
        "10 MB log, both fields, one string": update(large, raw_output=large),
        "10 MB log, both fields, equal strings": _both(large),
        "2 blocks of 300 KB": update(log_text(300_000), log_text(300_001)),
        "600 blocks of 40 KB": update(*["b" * 40_000] * 600),
        "1,191 empty blocks": update(*[""] * 1_191),
        "100 blocks of 600": update(*["c" * 600] * 100),
    }
