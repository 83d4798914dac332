"""Every way by which updates leave, found by looking: what a conformance test goes through.

``history_routes`` and the others discover names; ``delivered_by`` calls one and returns the updates
in what it gives back, whatever its shape.
"""

import ast
import asyncio
import inspect
import json
from collections.abc import Iterator

import httpx

from tests.histories import MARK
from tests.server import served

SESSION, AGENT = "s-1", "a-1"
VIRTUAL = "subagent.cy0x.YS0x"  # base64url of the two

#: What a public method may be given, by the name of its parameter.
ARGUMENTS = {
    "session_id": SESSION,
    "params": {"sessionId": SESSION},
    "parent_session_id": SESSION,
    "agent_id": AGENT,
}


class Client:
    """Keeps what a live session sends."""

    def __init__(self):
        self.updates = []

    async def session_update(self, *, session_id, update):
        assert session_id == SESSION
        self.updates.append(update)


def public_methods(kind):
    return {
        name for name in dir(kind) if not name.startswith("_") and callable(getattr(kind, name))
    }


def updates_within(value):
    """All session updates in a value, at any depth, in order."""
    if isinstance(value, dict):
        if "sessionUpdate" in value:
            return [value]
        value = value.values()
    elif not isinstance(value, (list, Iterator)):
        return []
    return [update for item in value for update in updates_within(item)]


def call(method):
    """A method's result, its required parameters filled in by their names."""
    required = [
        parameter.name
        for parameter in inspect.signature(method).parameters.values()
        if parameter.default is inspect.Parameter.empty
    ]
    unknown = [name for name in required if name not in ARGUMENTS]
    assert not unknown, f"say in ARGUMENTS what {method.__name__} is to be given as {unknown}"
    return method(*(ARGUMENTS[name] for name in required))


def commands(core):
    """The subcommands that read a transcript."""
    parser = core.module("cli")._parser()
    (subcommands,) = [
        action for action in parser._actions if isinstance(getattr(action, "choices", None), dict)
    ]
    return {
        name
        for name, subparser in subcommands.choices.items()
        if any(action.metavar == "FILE_OR_STORE" for action in subparser._actions)
    }


def discovered(core):
    """All routes there are, as ``delivered_by`` takes them."""
    history = core.module("replay").History
    app = core.module("asgi").transcript_app(history(None))
    return {
        *(f"history {name}" for name in public_methods(history)),
        *(f"live {name}" for name in public_methods(core.module("live").Session)),
        *(f"http {route.path}" for route in app.routes),
        *(f"command {name}" for name in commands(core)),
    }


def imported_by(path):
    """The modules of acpbound that a source file imports, at its top or inside a function."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        names = [alias.name for alias in getattr(node, "names", ()) if isinstance(alias, ast.alias)]
        if isinstance(node, ast.ImportFrom):
            yield node.module.removeprefix("acpbound.")
            names = [f"{node.module}.{name}" for name in names]
        yield from (name.removeprefix("acpbound.") for name in names)


def importers_of(folder, *modules):
    """Which modules in a folder import any of its ``modules``, and which of them."""
    found = {path.stem: {*imported_by(path)} & {*modules} for path in folder.glob("*.py")}
    return {name: imported for name, imported in found.items() if imported}


def definitions_in(module):
    """The public functions and classes that a module defines, without its errors."""
    return {
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and getattr(value, "__module__", None) == module.__name__
        and (inspect.isfunction(value) or inspect.isclass(value))
        and not (inspect.isclass(value) and issubclass(value, Exception))
    }


def delivered_by(core, route, store, updates):
    """The updates that a route delivers, from a store that holds ``updates`` or from them."""
    kind, _, name = route.partition(" ")
    history = core.module("replay").History(store)
    if kind == "history":
        return updates_within(call(getattr(history, name)))
    if kind == "live":
        return asyncio.run(_sent_live(core, name, updates))
    if kind == "http":
        with served(core.module("asgi").transcript_app(history)) as address:
            answer = httpx.get(address + name.format(id=SESSION), params={"limit": 500})
        assert answer.status_code == 200
        return updates_within(json.loads(answer.content))
    run = core.run(name, str(store.root), SESSION)
    assert (run.returncode, run.stderr) == (0, b"")
    return updates_within([json.loads(line) for line in run.stdout.split(b"\n")[:-1]])


async def _sent_live(core, name, updates):
    client = Client()
    session = core.module("live").Session(SESSION, client)
    for update in updates:
        await getattr(session, name)(update)
    return client.updates


def unmarked(delivered, canonical):
    """A replayed update without the marks of replay; asserts that they are the marks due."""
    delivered = dict(delivered)
    meta = canonical.get("_meta")
    meta = meta if isinstance(meta, dict) else {}
    assert delivered["_meta"] == {**meta, MARK: delivered["_meta"][MARK]}
    if isinstance(meta.get("timestamp"), (int, float, str)):
        assert delivered.pop("timestamp") == meta["timestamp"]
    del delivered["_meta"]
    if "_meta" in canonical:
        delivered["_meta"] = canonical["_meta"]
    return {key: delivered[key] for key in canonical} | delivered
