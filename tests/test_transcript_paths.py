"""Where transcripts may lie and who may read them: nothing leads out of the root."""

import os
import stat

import pytest

from tests.strategies import tool_update
from tests.test_transcript import recorded, store_at


def test_files_are_0600_and_folders_0700_whatever_the_umask(core, tmp_path):
    mask = os.umask(0)
    try:
        store = store_at(core, tmp_path / "root")
        store.append("s", tool_update("x"))
        store.append("s", tool_update("x"), agent_id="a")
    finally:
        os.umask(mask)
    modes = {
        str(path.relative_to(tmp_path)): oct(stat.S_IMODE(path.stat().st_mode))
        for path in tmp_path.rglob("*")
    }
    assert modes == {
        "root": "0o700",
        "root/chats": "0o700",
        "root/chats/s.jsonl": "0o600",
        "root/subagents": "0o700",
        "root/subagents/s": "0o700",
        "root/subagents/s/agent-a.jsonl": "0o600",
    }


@pytest.mark.parametrize("where", ["chats", "chats/s.jsonl", "subagents", "subagents/s"])
def test_a_link_that_leads_out_of_the_root_is_refused(core, tmp_path, where):
    root, outside = tmp_path / "root", tmp_path / "outside"
    outside.mkdir()
    (outside / "s").mkdir()
    for name in ("s.jsonl", "agent-s.jsonl", "s/agent-s.jsonl"):
        (outside / name).write_bytes(b'{"update":{"secret":1}}\n')
    before = sorted(outside.rglob("*"))
    link = root / where
    link.parent.mkdir(parents=True)
    link.symlink_to(outside / "s.jsonl" if where.endswith(".jsonl") else outside)
    store = store_at(core, root)
    agent = "s" if where.startswith("subagents") else None
    with pytest.raises(PermissionError, match="a link leads out of the transcripts"):
        store.append("s", tool_update("x"), agent_id=agent)
    with pytest.raises(PermissionError, match="a link leads out of the transcripts"):
        store.open("subagent.cw.cw" if agent else "s")
    assert sorted(outside.rglob("*")) == before
    assert (outside / "s.jsonl").read_bytes() == b'{"update":{"secret":1}}\n'


def test_a_dangling_link_creates_nothing_outside(core, tmp_path):
    root = tmp_path / "root"
    (root / "chats").mkdir(parents=True)
    (root / "chats" / "s.jsonl").symlink_to(tmp_path / "new")
    with pytest.raises(PermissionError):
        store_at(core, root).append("s", tool_update("x"))
    assert [*tmp_path.iterdir()] == [root]


def test_a_circle_of_links_is_an_error(core, tmp_path):
    (tmp_path / "chats").mkdir()
    (tmp_path / "chats" / "s.jsonl").symlink_to(tmp_path / "chats" / "s.jsonl")
    with pytest.raises(OSError):  # noqa: PT011  the system's message
        store_at(core, tmp_path).open("s")


def test_the_root_itself_may_be_reached_by_a_link(core, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "root").symlink_to(tmp_path / "real")
    store = store_at(core, tmp_path / "root")
    store.append("s", tool_update("x"))
    assert recorded(store) == [tool_update("x")]


@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_what_is_no_file_is_an_error_and_never_waits(core, tmp_path, kind):
    (tmp_path / "chats").mkdir()
    path = tmp_path / "chats" / "s.jsonl"
    path.mkdir() if kind == "folder" else os.mkfifo(path)
    store = store_at(core, tmp_path)
    with pytest.raises(OSError, match=r"not a regular file|Is a directory"):
        store.append("s", tool_update("x"))
    with pytest.raises(OSError, match=r"not a regular file|Is a directory"):
        store.open("s")


def test_a_transcript_that_may_not_be_read_is_an_error(core, tmp_path):
    store = store_at(core, tmp_path)
    store.append("s", tool_update("x"))
    (tmp_path / "chats").chmod(0)
    is_root = os.geteuid() == 0
    if is_root:  # whom modes do not stop
        os.seteuid(65534)
    try:
        for read in (store.open, core.module("replay").History(store).bulk):
            with pytest.raises(PermissionError):
                read("s")
    finally:
        if is_root:
            os.seteuid(0)
        (tmp_path / "chats").chmod(0o700)


def test_a_folder_of_chats_outside_is_not_listed(core, tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "chats").symlink_to(tmp_path / "outside")
    with pytest.raises(PermissionError):
        store_at(core, tmp_path / "root").session_ids()
