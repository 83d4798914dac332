"""A real HTTP server on a free port, for as long as a test needs it."""

import threading
from contextlib import contextmanager

import uvicorn


class _Server(uvicorn.Server):
    """Tells by an event when it listens."""

    def __init__(self, config):
        super().__init__(config)
        self.listening = threading.Event()

    async def startup(self, sockets=None):
        await super().startup(sockets)
        self.listening.set()


@contextmanager
def served(app):
    """The address at which an ASGI application is served."""
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", lifespan="off")
    server = _Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        assert server.listening.wait(60)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()
