#!/usr/bin/env python3
"""Takes and acknowledges over the stream; connects again after every loss. Needs the package `websockets`.

PARLEY_WORKSPACE and PARLEY_TOKEN must be set.
"""
import asyncio
import json
import os

import websockets

SERVER = os.environ.get("PARLEY_SERVER", "http://127.0.0.1:7411")
URI = SERVER.replace("http", "ws", 1) + f"/v1/workspaces/{os.environ['PARLEY_WORKSPACE']}/stream"


async def session(stream):
    number = 1
    # credit: how many deliveries may be unacknowledged at once.
    await stream.send(json.dumps({"id": number, "op": "hello", "token": os.environ["PARLEY_TOKEN"], "credit": 1, "lease": "5m"}))
    async for text in stream:
        frame = json.loads(text)
        if "error" in frame:
            print("refused:", frame["error"], flush=True)
        for delivery in frame.get("deliveries", []):
            print(delivery["delivery_id"], delivery.get("message", {}).get("message_type", "notice"), flush=True)
            # Work here, and send the answer: {"id": …, "op": "send", "messages": [answer]}.
            if "lease_until" in delivery:
                number += 1
                await stream.send(json.dumps({"id": number, "op": "ack", "delivery_ids": [delivery["delivery_id"]]}))


async def main():
    async for stream in websockets.connect(URI, max_size=None):  # after a loss: again
        try:
            await session(stream)
        except websockets.ConnectionClosed as closed:
            code = closed.rcvd.code if closed.rcvd else None
            print("closed:", code, flush=True)
            if code in (4001, 4401):  # another process is this agent now; the token is not valid
                return


asyncio.run(main())
