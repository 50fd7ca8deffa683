"""Connections of streams, which a web process hands over to a stream process of the same machine.

A web process reads the head of each request. If it asks for a stream, the process sends the head and the connection
itself (``SCM_RIGHTS``, unix(7)) to a stream process, and has no part in the stream afterwards. So a site has one port
and needs no routes in its proxy; any number of stream processes share the streams. Without them, web processes serve
the streams themselves.
"""

from __future__ import annotations

import asyncio
import re
import resource
import socket
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Final

import structlog
import uvicorn
from django.conf import settings

from esr_platform.heads import MAX_HEAD_BYTES, BoundedHeads
from esr_platform.supervisor.sockets import new_stream_socket, stream_sockets

log = structlog.get_logger(__name__)

# --- Sockets ---------------------------------------------------------------------------------------------------------


def _connected(path: Path) -> socket.socket:
    """Return a connection to the stream process at ``path``. Raises ``OSError``."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    connection.setblocking(False)
    try:
        connection.connect(str(path))
    except OSError:
        connection.close()
        raise
    return connection


def allow_many_connections() -> None:
    """Raise the limit of open files to its maximum. By default, many systems allow 1,024, and each stream is one."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


# --- Web processes ---------------------------------------------------------------------------------------------------

_STREAM: Final = re.compile(rb"GET /api/v1/(?:[^ ?]+/)?stream[ ?]")
_HAS_BODY: Final = re.compile(rb"\n(?:content-length:(?!\s*0\s*\r)|transfer-encoding:)", re.IGNORECASE)


class StreamProcesses:
    """The stream processes of this machine, in turn, for the web process that creates it."""

    def __init__(self, var: Path) -> None:
        self._var = var
        self._connections: dict[Path, socket.socket] = {}
        self._turn = 0

    def take(self, head: bytes, connection: int) -> bool:
        """Give a stream process the ``head`` of a request and its ``connection``. Returns whether one took them."""
        paths = stream_sockets(self._var)
        for ended in self._connections.keys() - {*paths}:
            self._connections.pop(ended).close()
        self._turn += 1
        for place in range(len(paths)):
            path = paths[(self._turn + place) % len(paths)]
            try:
                if path not in self._connections:
                    self._connections[path] = _connected(path)
                socket.send_fds(self._connections[path], [head], [connection])
            except OSError:  # it has ended, or too many connections wait for it
                if path in self._connections:
                    self._connections.pop(path).close()
            else:
                return True
        return False


class WebProtocol(BoundedHeads):
    """The protocol of web processes: hands over connections that ask for a stream.

    Start the web server with ``uvicorn --http esr_platform.handover:WebProtocol``, as ``manage.py run`` does.
    """

    processes: ClassVar[StreamProcesses | None] = None

    def head_received(self, head: bytes) -> bool:
        """Hand the connection over if ``head`` asks for a stream, has no body, and everything before it was sent."""
        if not _STREAM.match(head) or _HAS_BODY.search(head) or self.transport.get_write_buffer_size():
            return False
        if self.transport.get_extra_info("sslcontext") is not None:
            return False  # its keys are in this process
        if WebProtocol.processes is None:
            WebProtocol.processes = StreamProcesses(settings.VAR_DIR)
        self.transport.pause_reading()
        if WebProtocol.processes.take(head, self.transport.get_extra_info("socket").fileno()):
            self.transport.abort()  # closes this process's copy of the connection, and sends nothing
            return True
        self.transport.resume_reading()
        return False


# --- Stream processes ------------------------------------------------------------------------------------------------


class _StreamProtocol(BoundedHeads):
    """The protocol of a connection that was handed over with a head."""

    def __init__(self, *, head: bytes, **known: Any) -> None:
        super().__init__(**known)
        self._head = head

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        super().connection_made(transport)
        self.data_received(self._head)
        self._head = b""


class StreamServer(uvicorn.Server):
    """A web server for connections that web processes hand over. It closes each one after its response."""

    def __init__(self, application: Any, var: Path, graceful_s: int | None = None) -> None:
        super().__init__(
            uvicorn.Config(
                application,
                http=_StreamProtocol,
                lifespan="off",
                access_log=False,
                log_config=None,
                headers=[("Connection", "close")],
                timeout_graceful_shutdown=graceful_s,
            )
        )
        self._var = var
        self._path = Path()
        self._web_processes: set[socket.socket] = set()
        self._tasks: set[asyncio.Task[Any]] = set()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen for web processes. Raises ``OSError``. ``sockets`` must be empty."""
        _remove_unused(self._var)
        self._path = new_stream_socket(self._var)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._listener.setblocking(False)
        self._listener.bind(str(self._path))
        self._path.chmod(0o600)
        self._listener.listen()
        asyncio.get_running_loop().add_reader(self._listener, self._accept)
        await super().startup(sockets or [])

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop listening, and end the streams. Their clients connect again."""
        self._path.unlink(missing_ok=True)
        for each in (self._listener, *self._web_processes):
            asyncio.get_running_loop().remove_reader(each)
            each.close()
        await super().shutdown(sockets)

    def _accept(self) -> None:
        with suppress(OSError):
            web_process, _ = self._listener.accept()
            web_process.setblocking(False)
            self._web_processes.add(web_process)
            asyncio.get_running_loop().add_reader(web_process, self._receive, web_process)

    def _receive(self, web_process: socket.socket) -> None:
        """Take one connection over, or forget a web process that has ended."""
        try:
            head, connections, _, _ = socket.recv_fds(web_process, MAX_HEAD_BYTES + 1, 1)
        except BlockingIOError:
            return
        except OSError as error:
            log.warning("stream_not_received", error=repr(error))
            head, connections = b"", []
        for connection in connections:
            task = asyncio.get_running_loop().create_task(self._serve_one(head, socket.socket(fileno=connection)))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        if not head:
            asyncio.get_running_loop().remove_reader(web_process)
            self._web_processes.discard(web_process)
            web_process.close()

    async def _serve_one(self, head: bytes, connection: socket.socket) -> None:
        protocol = partial(
            _StreamProtocol,
            head=head,
            config=self.config,
            server_state=self.server_state,
            app_state=self.lifespan.state,
        )
        try:
            await asyncio.get_running_loop().connect_accepted_socket(protocol, connection)
        except OSError:  # the client has disconnected
            connection.close()


def _remove_unused(var: Path) -> None:
    """Remove the sockets of processes that were killed."""
    for path in stream_sockets(var):
        try:
            with closing(_connected(path)):
                pass
        except ConnectionRefusedError:
            path.unlink(missing_ok=True)
        except OSError:
            continue
