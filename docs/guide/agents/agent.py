#!/usr/bin/env python3
"""A developer of the collab profile, with the standard library alone: takes tasks, works, answers, acknowledges.

PARLEY_WORKSPACE, PARLEY_TOKEN and AGENT must be set. It may be killed and started again at any moment.
"""
import datetime
import hashlib
import http.client
import json
import os
import threading
import time
import urllib.error
import urllib.request
import uuid

SERVER = os.environ.get("PARLEY_SERVER", "http://127.0.0.1:7411")
BASE = f"{SERVER}/v1/workspaces/{os.environ['PARLEY_WORKSPACE']}"
AGENT, TOKEN = os.environ["AGENT"], os.environ["PARLEY_TOKEN"]
MAILBOX = f"/agents/{AGENT}/inbox"
LEASE_SECONDS = 10  # kept up while work goes on; after a crash the message comes again when it is over


class Refused(Exception):
    """The server's error: code, message, hint, where."""


def call(method, path, body=None):
    """The answer. A call that got none is repeated unchanged: its ids make it count once."""
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    while True:
        try:
            with urllib.request.urlopen(urllib.request.Request(BASE + path, data, headers, method=method), timeout=90) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refused:
            if refused.code in (429, 502, 503, 504, 507):  # busy or full; or a proxy says that the server is away
                after = refused.headers.get("Retry-After", "")
                time.sleep(int(after) if after.isdigit() else 1)
                continue
            raise Refused(json.load(refused)["error"]) from None
        except (OSError, http.client.HTTPException):  # no connection, or one that was lost
            time.sleep(1)


def derived(*parts):
    """The same answer has the same id, also after a crash. The collab profile wants a UUID of version 4."""
    return str(uuid.UUID(bytes=hashlib.sha256("/".join(parts).encode()).digest()[:16], version=4))


def said(message_id):
    """Whether this agent has sent that message already."""
    try:
        return call("GET", f"/messages/{message_id}")
    except Refused as refused:
        if refused.args[0]["code"] == "NOT_FOUND":
            return None
        raise


def answer(question, message_type, payload):
    message = {
        "message_id": derived(question["message_id"], message_type),
        "timestamp": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "sequence_number": int(time.time() * 1000),
        "from_agent": {"agent_id": AGENT, "agent_type": "developer"},
        "to_agent": question["from_agent"],
        "message_type": message_type,
        "payload": payload,
    }
    try:
        call("POST", "/messages", message)
    except Refused as refused:
        if refused.args[0]["code"] != "ID_CONFLICT":  # said before, at another time of day
            raise


def work(task):
    """Put your model here. What it returns is the payload of the task_completion."""
    time.sleep(3)
    return {
        "task_id": task["task_id"],
        "status": "completed",
        "changes": {"files_created": [], "files_modified": [], "files_deleted": []},
        "summary": "Done: " + task["task_description"],
        "self_review": {"tests_run": True, "tests_passed": True, "type_check_passed": True},
    }


def handle(message):
    if message["message_type"] != "task_assignment":
        return
    answer(message, "acknowledgment", {"acknowledged_message_id": message["message_id"], "accepted": True})
    if not said(derived(message["message_id"], "task_completion")):  # killed after it: not worked on again
        answer(message, "task_completion", work(message["payload"]["task"]))


def settle(how, delivery, **more):
    try:
        call("POST", f"{MAILBOX}/{how}", {"delivery_ids": [delivery["delivery_id"]], **more})
    except Refused as refused:  # SUPERSEDED: the lease was over, and the message comes again
        print("refused:", refused, flush=True)


def keep(delivery, finished):
    while not finished.wait(LEASE_SECONDS / 3):
        settle("extend", delivery, lease=f"{LEASE_SECONDS}s")


while True:
    take = {"wait": "30s", "max": 1, "lease": f"{LEASE_SECONDS}s", "take_id": str(uuid.uuid4())}
    for delivery in call("POST", f"{MAILBOX}/take", take)["deliveries"]:
        print(delivery["delivery_id"], delivery.get("message", {}).get("message_type", "notice"), flush=True)
        leased, finished, how, more = "lease_until" in delivery, threading.Event(), "ack", {}
        if leased:
            threading.Thread(target=keep, args=(delivery, finished), daemon=True).start()
        try:
            if "message" in delivery:
                handle(delivery["message"])
        except Refused as refused:
            print("refused:", refused, flush=True)
            how, more = "nack", {"reason": refused.args[0]["message"][:1024]}
        finished.set()
        if leased:
            settle(how, delivery, **more)
