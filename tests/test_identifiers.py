"""Which ids may name a file: plain names only, however the others are dressed up."""

import base64

import pytest

PLAIN = [
    "s",
    "00000000-0000-4000-8000-000000000002",
    "sess_abc123",
    "general-purpose.7",
    "a=b@c+d~e",
    "-aB3_",
    "x" * 200,
    "console",
    "com10",
    "nulx",
]
REFUSED = [
    "",
    ".",
    "..",
    "../x",
    "../../etc/passwd",
    "x/../../y",
    "/etc/passwd",
    "x/y",
    "x\\y",
    "..\\x",
    "C:\\x",
    "C:x",
    "x:stream",
    "a\0b",
    "\0",
    "a\nb",
    "x\n",
    " x",
    "x ",
    "x.",
    ".hidden",
    "CON",
    "nul",
    "Aux.jsonl",
    "com1",
    "LPT9.txt",
    "x" * 201,
    "x" * 300,
    "\u6c49" * 100,
    "x\u2044y",  # fraction slash
    "x\u2215y",  # division slash
    "x\u29f8y",  # big solidus
    "x\uff0fy",  # fullwidth solidus
    "x\uff3cy",  # fullwidth reverse solidus
    "\u2025",  # two dot leader
    "\uff0e\uff0e",  # fullwidth full stops
    "\u2024\u2024",  # one dot leaders
    "\u0441on",  # Cyrillic
    "s\u200b",  # zero width space
    "\u202ex",  # right-to-left override
    "\ud800",
    "\u0661",  # a digit, but not ASCII
    "subagent.x",
    "SUBAGENT.x",
    None,
    7,
    b"s",
    ["s"],
]


def encoded(name):
    return base64.urlsafe_b64encode(name.encode("utf-8", "surrogatepass")).decode().rstrip("=")


@pytest.mark.parametrize("name", PLAIN, ids=ascii)
def test_a_plain_name_is_taken_as_it_is(core, name):
    assert core.module("identifiers").checked_id(name) == name


@pytest.mark.parametrize("name", REFUSED, ids=ascii)
def test_what_is_no_plain_name_is_refused_and_creates_nothing(core, tmp_path, name):
    identifiers = core.module("identifiers")
    root = tmp_path / "a" / "b" / "root"
    store = core.module("transcript").TranscriptStore(root)
    history = core.module("replay").History(store)
    update = {"sessionUpdate": "plan", "entries": []}
    uses = [
        lambda: identifiers.checked_id(name),
        lambda: identifiers.subagent_id(name, "a"),
        lambda: identifiers.subagent_id("s", name),
        lambda: store.append(name, update),
        lambda: store.append(name, update, agent_id="a"),
        lambda: store.open(name),
        lambda: history.bulk(name),
        lambda: history.stream(name),
        lambda: history.page(name),
        lambda: history.subagent("s", name),
        lambda: history.load_updates({"sessionId": name}),
    ]
    if name is not None:
        uses.append(lambda: store.append("s", update, agent_id=name))
    if isinstance(name, str):
        uses.append(lambda: history.page(f"subagent.{encoded('s')}.{encoded(name)}"))
        uses.append(lambda: store.append(f"subagent.{encoded(name)}.{encoded('a')}", update))
    for use in uses:
        with pytest.raises(identifiers.InvalidIdError):
            use()
    assert not [*tmp_path.iterdir()]


def test_the_error_says_what_was_given_and_what_is_allowed(core):
    checked_id = core.module("identifiers").checked_id
    with pytest.raises(ValueError, match=r"session id '\.\./x' is no plain name: only ASCII"):
        checked_id("../x")
    with pytest.raises(ValueError, match="is longer than 200 bytes"):
        checked_id("x" * 300)
    with pytest.raises(ValueError, match="agent id 'NUL' names a device"):
        checked_id("NUL", "agent id")


def test_a_virtual_id_stands_for_parent_and_agent(core):
    identifiers = core.module("identifiers")
    virtual = identifiers.subagent_id("s-1", "a-1")
    assert virtual == "subagent.cy0x.YS0x"
    assert identifiers.parse_id(virtual) == ("s-1", "a-1")
    assert identifiers.parse_id(virtual).delivered_id == virtual
    assert identifiers.parse_id("s-1") == ("s-1", None)


@pytest.mark.parametrize(
    "virtual",
    [
        "subagent.",
        "subagent.cy0x",
        "subagent.cy0x.",
        "subagent..YS0x",
        "subagent.cy0x.YS0x.YS0x",
        "subagent.cy0x.YS0x=",
        "subagent.cy0x.YR",  # YQ, with other spare bits
        "subagent.cy0x.Y",
        "subagent.cy0x.Y\u0661",
        "subagent.cy0x.Y!S0x",
        f"subagent.cy0x.{encoded('..')}",
        f"subagent.{encoded('a/b')}.YS0x",
        f"subagent.cy0x.{encoded('x' * 300)}",
    ],
)
def test_a_virtual_id_has_one_spelling(core, virtual):
    identifiers = core.module("identifiers")
    assert identifiers.parse_id("subagent.cy0x.YQ") == ("s-1", "a")
    with pytest.raises(identifiers.InvalidIdError):
        identifiers.parse_id(virtual)
