"""A client of Agent-Q in Python, without a dependency: one prompt, its answer, and a review of each hunk.

usage: client.py FOLDER "question" -- COMMAND...      for example: client.py . "Why is it 0?" -- agentq --stdio

Written from docs/protocol.md alone. What is accepted is written to the files, and the server is told, so that it can compare.
"""
import hashlib
import json
import pathlib
import queue
import subprocess
import sys
import threading
from urllib.parse import quote, unquote, urlparse


class Server:
    """JSON-RPC 2.0 in LSP frames over the standard streams of a child process."""

    def __init__(self, command, folder):
        self.child = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.messages, self.last_id = queue.Queue(), 0
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        out = self.child.stdout
        while line := out.readline():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
                while out.readline().strip():
                    pass
                self.messages.put(json.loads(out.read(length)))
        self.messages.put(None)

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.child.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.child.stdin.flush()

    def request(self, method, params, heard):
        """The result of a request; what comes before the result is handed to `heard`."""
        self.last_id += 1
        self.send({"id": self.last_id, "method": method, "params": params})
        while True:
            message = self.next()
            if message.get("id") == self.last_id and "method" not in message:
                if "error" in message:
                    raise SystemExit(f"{method}: {message['error']['message']}")
                return message["result"]
            heard(message)

    def next(self):
        message = self.messages.get()
        if message is None:
            raise SystemExit("the server has stopped")
        if "method" in message and "id" in message:
            # A client that announces little is asked little, and nothing that needs another answer.
            self.send({"id": message["id"], "result": None})
        return message


class Turn:
    """One prompt, until its turn has ended."""

    def __init__(self, server):
        self.server, self.waiting = server, []

    def run(self, text):
        turn = self.server.request("agentq/prompt", {"text": text}, self.waiting.append)["turnId"]
        while True:
            message = self.waiting.pop(0) if self.waiting else self.server.next()
            method, params = message.get("method"), message.get("params", {})
            if method == "agentq/event" and params["turnId"] == turn:
                event = params["event"]
                if event["kind"] == "text":
                    print(event["text"], end="", flush=True)
                elif event["kind"] == "turnEnded":
                    return event["reason"]
            elif method == "agentq/proposal":
                self.review(params)
            elif method == "agentq/approval":
                decision = "approved" if ask(f"{params['why']}\n{params['risk']}\n{params['arguments']}") else "denied"
                self.ask("agentq/answerApproval", {"approvalId": params["approvalId"], "decision": decision})

    def ask(self, method, params):
        return self.server.request(method, params, self.waiting.append)

    def review(self, proposal):
        hunks = []
        for hunk in proposal["hunks"]:
            lines = ["- " + line for line in hunk["oldText"].splitlines()]
            lines += ["+ " + line for line in hunk["newText"].splitlines()]
            yes = ask("\n".join([hunk["title"], *lines]))
            hunks.append({"id": hunk["id"], "decision": "accept" if yes else "reject"})
        ident = {"proposalId": proposal["proposalId"]}
        decided = self.ask("agentq/decide", {**ident, "hunks": hunks})
        if decided["edit"]:
            documents = [self.apply(change) for change in decided["edit"]["documentChanges"]]
            self.ask("agentq/didApply", {**ident, "documents": [each for each in documents if each]})
        if decided["conflicts"]:
            rest = [{"id": each, "decision": "reject", "reason": "not merged"} for each in decided["conflicts"]]
            self.ask("agentq/decide", {**ident, "hunks": rest})

    def apply(self, change):
        """Carries one change out on the disk, and tells what the file is then."""
        if "kind" in change:
            path = path_of(change.get("uri") or change["newUri"])
            path.parent.mkdir(parents=True, exist_ok=True)
            does = {"create": path.touch, "delete": path.unlink}
            does.get(change["kind"], lambda: path_of(change["oldUri"]).rename(path))()
            return None
        uri = change["textDocument"]["uri"]
        # UTF-16, because positions count its units.
        text = path_of(uri).read_bytes().decode().encode("utf-16-le")
        for edit in sorted(change["edits"], key=lambda each: offset(text, each["range"]["start"]), reverse=True):
            first, last = (offset(text, edit["range"][end]) for end in ("start", "end"))
            text = text[:first] + edit["newText"].encode("utf-16-le") + text[last:]
        path_of(uri).write_bytes(text.decode("utf-16-le").encode())
        return {"uri": uri, "version": None, "sha256": hashlib.sha256(path_of(uri).read_bytes()).hexdigest()}


def offset(text, position):
    lines = text.decode("utf-16-le").split("\n")[: position["line"]]
    return 2 * position["character"] + sum(len((line + "\n").encode("utf-16-le")) for line in lines)


def path_of(uri):
    return pathlib.Path(unquote(urlparse(uri).path))


def ask(question):
    print(f"\n{question}", file=sys.stderr)
    return input("y/n? ").strip().lower().startswith("y")


def main():
    if sys.argv[3:4] != ["--"]:
        raise SystemExit(__doc__)
    folder = pathlib.Path(sys.argv[1]).resolve()
    server = Server(sys.argv[4:], folder)
    uri = "file://" + quote(str(folder))
    announced = {"experimental": {"agentq": {"version": 1, "proposals": True, "approvals": True}}}
    folders = [{"uri": uri, "name": folder.name}]
    params = {"processId": None, "rootUri": uri, "workspaceFolders": folders, "capabilities": announced}
    server.request("initialize", params, lambda message: None)
    server.send({"method": "initialized", "params": {}})
    reason = Turn(server).run(sys.argv[2])
    print()
    server.request("shutdown", None, lambda message: None)
    server.send({"method": "exit"})
    server.child.wait(10)
    sys.exit(0 if reason == "endTurn" else 1)


main()
