"""What an idle connection costs the server in memory: a WebSocket whose session is open, a kept HTTP connection.

The process's private memory before and after; agents are registered, and a first tenth of the connections opened,
before it is counted. What the kernel keeps of a socket is not in it.
"""
import http.client
import resource

import server

CONNECTIONS = 5000


def streams(program):
    with server.folder() as folder, server.Server(program, folder / "data", journal="memory") as one:
        workspace = one.workspace()
        tokens = [one.agent(workspace, f"agent-{i}") for i in range(CONNECTIONS + CONNECTIONS // 10)]
        kept = [server.Stream(one, workspace, token, f"agent-{i}", credit=100)
                for i, token in enumerate(tokens[:CONNECTIONS // 10])]
        before = one.private_bytes()
        kept += [server.Stream(one, workspace, token, f"agent-{i + CONNECTIONS // 10}", credit=100)
                 for i, token in enumerate(tokens[CONNECTIONS // 10:])]
        return (one.private_bytes() - before) / CONNECTIONS


def kept_connections(program):
    with server.folder() as folder, server.Server(program, folder / "data", journal="memory") as one:
        kept = []

        def open_some(count):
            for _ in range(count):
                connection = http.client.HTTPConnection("127.0.0.1", one.port)
                connection.request("GET", "/v1/limits", headers={"Authorization": f"Bearer {one.token}"})
                connection.getresponse().read()
                kept.append(connection)
        open_some(CONNECTIONS // 10)
        before = one.private_bytes()
        open_some(CONNECTIONS)
        return (one.private_bytes() - before) / CONNECTIONS


def run(program, _):
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(20_000, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)
    yield "an idle session over WebSocket, bytes", streams(program), 6 * 1024, 3 * 1024
    yield "an idle HTTP connection, bytes", kept_connections(program), 6 * 1024, 3 * 1024
