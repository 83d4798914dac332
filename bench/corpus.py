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


def source_text(characters):
    """Indented code with quotes, braces and comments."""
    rng = random.Random(SEED)
    line = '    if (config["{0}"] !== null) {{ return format("{0}: %s\\n", value_{1}); }} // {0}\n'
    names = [f"option_{rng.randrange(10**4)}" for _ in range(characters // 60 + 1)]
    return "".join(line.format(name, i) for i, name in enumerate(names))[:characters]


def json_text(characters):
    """JSON inside of which every quote has to be escaped."""
    rng = random.Random(SEED)
    item = '{{"id":{},"name":"item {}","tags":["a","b"],"ok":true}},'
    numbers = [rng.randrange(10**6) for _ in range(characters // 40 + 1)]
    return "".join(item.format(number, number % 97) for number in numbers)[:characters]


def cjk_text(characters):
    """Prose in ideographs with full-width punctuation and line ends."""
    rng = random.Random(SEED)
    picked = (chr(rng.randrange(0x4E00, 0x9FA5)) for _ in range(characters))
    return "".join(c if i % 23 else "\u3002\n"[i % 2] for i, c in enumerate(picked))


def emoji_text(characters):
    """ASCII words between emoji, in four bytes a code point."""
    rng = random.Random(SEED)
    return "".join(
        chr(rng.randrange(0x1F600, 0x1F64F)) if i % 3 == 0 else "a" for i in range(characters)
    )


def binary_text(characters):
    """What a program prints that was never meant for a terminal: every byte value."""
    rng = random.Random(SEED)
    return rng.randbytes(characters).decode("latin-1")


def minified_text(characters):
    """One long line of ASCII without anything to escape."""
    rng = random.Random(SEED)
    words = ("function(a,b){return a+b};", "var x=e.t(1);", "for(;;){if(q)break}")
    count = characters // 12 + 1
    return "".join(rng.choice(words) for _ in range(count))[:characters]


TEXTS = {
    "logs": log_text,
    "source code": source_text,
    "JSON": json_text,
    "CJK prose": cjk_text,
    "emoji": emoji_text,
    "binary": binary_text,
    "minified": minified_text,
}
SIZES = {"600": 600, "40 KB": 40_000, "500 KB": 500_000, "10 MB": 10_000_000}


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
