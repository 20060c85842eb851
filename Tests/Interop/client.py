#!/usr/bin/env python3
"""A client of a running cluster, written from WireFormat.md alone.

  client.py examples DOCUMENT             decode every hex example of WireFormat.md
  client.py emit RUN                      tap the cluster in RUN, emit an effect, check the answer and what the tap heard
  client.py secret RUN PASSWORD COMMAND   tap while COMMAND, which reads PASSWORD, emits an effect with a secret field

Each check is a line on standard error; `emit` prints the result as JSON. Ends with 1 and a message on any mismatch.
"""

import json
import os
import re
import secrets
import subprocess
import sys
import time

import cbor2
import zmq

WAIT_SECONDS = 30


class Mismatch(Exception):
    """Something is not as the document says."""


def check(name, holds, detail=""):
    if not holds:
        raise Mismatch(f"{name}: {detail}")
    print(f"ok      {name}", file=sys.stderr)


# --- Primitives -------------------------------------------------------------------------------------------------------

def crc32c_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


CRC32C = crc32c_table()


def crc32c(data):
    value = 0xFFFFFFFF
    for byte in data:
        value = value >> 8 ^ CRC32C[(value ^ byte) & 0xFF]
    return value ^ 0xFFFFFFFF


class Reader:
    """Reads from bytes, never past `end`."""

    def __init__(self, data, start=0, end=None):
        self.data = data
        self.at = start
        self.end = len(data) if end is None else end

    def take(self, count):
        if count > self.end - self.at:
            raise Mismatch(f"{count} bytes wanted at {self.at}, {self.end - self.at} are left")
        self.at += count
        return self.data[self.at - count:self.at]

    def byte(self):
        return self.take(1)[0]

    def varint(self):
        value = 0
        for index in range(10):
            byte = self.byte()
            value |= (byte & 0x7F) << 7 * index
            if byte < 0x80:
                if index > 0 and byte == 0 or value >= 1 << 64:
                    raise Mismatch("a varint that is not in its shortest form or too large")
                return value
        raise Mismatch("a varint of more than 10 bytes")

    def blob(self):
        return self.take(self.varint())

    def zigzag(self):
        value = self.varint()
        return value >> 1 ^ -(value & 1)

    def string(self):
        return self.blob().decode("utf-8")

    def fixed(self, count):
        return int.from_bytes(self.take(count), "big")

    def list(self, element):
        count = self.varint()
        if count > self.end - self.at:
            raise Mismatch(f"a list claims {count} elements in {self.end - self.at} bytes")
        return [element(self) for _ in range(count)]


# --- Frames and records -----------------------------------------------------------------------------------------------

def effect(reader, said):
    """All of it is said; what later effects may share is added to `said`."""
    fields = {
        "position": reader.varint(), "sequence": reader.varint(), "case": reader.string(), "deadline": reader.varint(),
        "time": reader.varint(), "payload": reader.blob(),
    }
    said["cases"].append(fields["case"])
    said["contexts"].append({
        "ancestry": reader.list(lambda r: (r.string(), r.varint())), "awaitDepth": reader.varint(),
        "memberVersion": reader.varint(), "flags": reader.varint(), "file": reader.string(), "line": reader.varint(), "function": reader.string(),
        "label": reader.string(), "fingerprint": reader.fixed(8),
    })
    said["last"] = fields
    return {"kind": "effect", **fields, **said["contexts"][-1]}


def effect_by_steps(reader, said):
    number = reader.varint()
    if number >= len(said["contexts"]):
        raise Mismatch(f"an effect has context {number} of {len(said['contexts'])} that were said before it")
    last = said["last"]
    steps = (reader.varint(), reader.varint())
    case = reader.varint()
    if case == len(said["cases"]):
        said["cases"].append(reader.string())
    if case >= len(said["cases"]):
        raise Mismatch(f"an effect has case {case} of {len(said['cases'])} that were said before it")
    fields = {
        "position": last["position"] + steps[0], "sequence": last["sequence"] + steps[1], "case": said["cases"][case],
        "deadline": reader.varint(), "time": (last["time"] + reader.zigzag()) % 2**64, "payload": reader.blob(),
    }
    if 0 in steps or max(fields["position"], fields["sequence"]) >= 2**64:
        raise Mismatch("an effect does not lie behind the one before it, or past 2^64 - 1")
    said["last"] = fields
    return {"kind": "effect", **fields, **said["contexts"][number]}


def runs(reader):
    """(position, sequence) of each effect."""
    effects = []
    last = (0, 0)
    for position, sequence, following in reader.list(lambda r: (r.varint(), r.varint(), r.varint())):
        first = (last[0] + position, last[1] + sequence)
        if len(effects) + following >= 1024:
            raise Mismatch(f"a record names {len(effects) + following + 1} effects")
        effects += [(first[0] + more, first[1] + more) for more in range(following + 1)]
        last = effects[-1]
    if not effects:
        raise Mismatch("a record names no effect")
    return effects


def settled(reader):
    return {
        "kind": "settled", "sequence": reader.varint(), "topic": reader.string(), "effects": runs(reader),
        "status": reader.byte(), "duration": reader.varint(), "diverged": reader.list(Reader.varint), "result": reader.blob(),
    }


def member(reader):
    return {
        "kind": "member", "sequence": reader.varint(), "version": reader.varint(),
        "recipients": reader.list(Reader.string),
    }


def snapshot(reader):
    return {"kind": "snapshot", "version": reader.varint(), "flags": reader.varint(), "payload": reader.blob()}


def head(reader):
    return {
        "kind": "head", "streams": reader.list(lambda r: (r.string(), r.varint(), r.varint())),
        "acknowledged": reader.list(lambda r: (r.string(), r.string(), r.varint())),
    }


def fetch(reader):
    return {
        "kind": "fetch", "requester": reader.string(), "topic": reader.string(),
        "ranges": reader.list(lambda r: (r.varint(), r.varint())),
    }


def gone(reader):
    return {"kind": "gone", "topic": reader.string(), "low": reader.varint(), "more": reader.varint()}


def ready(reader):
    return {
        "kind": "ready", "marker": reader.take(16),
        "streams": reader.list(lambda r: (
            r.string(), r.varint(), r.string(), r.varint(), r.list(lambda s: (s.string(), s.varint())))),
    }


def stream(reader):
    return {"kind": "stream", "topic": reader.string()}


def refused(reader):
    return {
        "kind": "refused", "count": reader.varint(), "reason": reader.string(), "topic": reader.string(),
        "case": reader.string(), "ancestry": reader.list(lambda r: (r.string(), r.varint())),
        "site": (reader.string(), reader.varint(), reader.string()), "label": reader.string(),
        "wall time": reader.varint(), "message": reader.string(),
    }


EFFECTS = {1: effect, 18: effect_by_steps}
RECORDS = {
    2: settled, 3: member, 4: snapshot, 5: head, 6: fetch, 7: gone, 8: ready, 9: stream, 17: refused,
}


def frame(message):
    end = message.find(0)
    if end < 1:
        raise Mismatch("no 0x00 ends the topic")
    reader = Reader(message, end + 1)
    version = reader.byte()
    if version != 3:
        raise Mismatch(f"frame version {version}")
    found = {
        "topic": message[:end].decode("utf-8"), "publisher": reader.string(), "epoch": reader.varint(), "records": [],
    }
    count = reader.varint()
    checksum = reader.fixed(4)
    if crc32c(message[reader.at:]) != checksum:
        raise Mismatch(f"the checksum of a frame of {found['topic']} is wrong")
    said = {"contexts": [], "cases": [], "last": None}
    for _ in range(count):
        length = reader.varint()
        record = Reader(message, reader.at, reader.at + length)
        reader.take(length)
        kind = record.byte()
        if kind in EFFECTS:
            found["records"].append(EFFECTS[kind](record, said))
        elif kind in RECORDS:
            found["records"].append(RECORDS[kind](record))
        else:
            continue
        while record.at < record.end:
            record.varint()
            record.blob()
    if reader.at != len(message):
        raise Mismatch(f"{len(message) - reader.at} bytes follow the last record")
    return found


SECRET_TAG = 42476


def shown(value):
    """The value as JSON can say it; secrets stay hidden."""
    if isinstance(value, cbor2.CBORTag):
        return "•••" if value.tag == SECRET_TAG else {"tag": value.tag, "value": shown(value.value)}
    if isinstance(value, dict):
        return {str(key): shown(element) for key, element in value.items()}
    if isinstance(value, (list, tuple)):
        return [shown(element) for element in value]
    return value.hex() if isinstance(value, bytes) else value


# --- The broker -------------------------------------------------------------------------------------------------------

def broker_endpoint(run):
    run = os.path.abspath(run)
    sockets = run + "/sockets"
    if len(sockets.encode()) + 37 > 100:
        value = 0xCBF29CE484222325
        for byte in run.encode():
            value = (value ^ byte) * 0x100000001B3 % (1 << 64)
        sockets = f"/tmp/relux-{os.geteuid()}-{value:016x}"[:-8]
    return f"ipc://{sockets}/broker.ipc"


class Broker:
    def __init__(self, context, run):
        self.socket = context.socket(zmq.DEALER)
        self.socket.linger = 0
        self.endpoint = broker_endpoint(run)
        self.socket.connect(self.endpoint)

    def exchange(self, message):
        self.socket.send(message)
        if not self.socket.poll(WAIT_SECONDS * 1000):
            raise Mismatch(f"the broker at {self.endpoint} has not answered within {WAIT_SECONDS} s")
        parts = self.socket.recv_multipart()
        if len(parts) != 1:
            raise Mismatch(f"an answer has {len(parts)} parts")
        return parts[0]

    def ask(self, identifier, name, **fields):
        """The answer's name, its fields and its bytes."""
        request = {"client": {"_0": {"id": identifier, "body": {name: fields}}}}
        answer = self.exchange(cbor2.dumps(request))
        response = cbor2.loads(answer)["client"]["_0"]
        if response["id"] != identifier:
            raise Mismatch(f"the answer to {identifier} says {response['id']}")
        (kind, body), = response["body"].items()
        return kind, body, answer

    def status(self):
        kind, body, _ = self.ask(secrets.token_hex(16), "status")
        if kind != "status":
            raise Mismatch(f"status was answered by {kind}: {body}")
        return body["_0"]

    def fingerprint(self, module, topic):
        """Of the contract of one of the module's effect types, as a number."""
        kind, body, _ = self.ask(secrets.token_hex(16), "contracts")
        if kind != "contracts":
            raise Mismatch(f"contracts was answered by {kind}: {body}")
        contract = cbor2.loads(body["_0"][module])
        return int(next(entry["fingerprint"] for entry in contract["topics"] if entry["topic"] == topic), 16)

    def emit(self, identifier, topic, case, fields, label, **more):
        return self.ask(
            identifier, "emit", topic=topic, payload=cbor2.dumps({case: fields}), deadlineMilliseconds=10_000, label=label, **more)


class Tap:
    """Hears every topic of every host, and keeps the records."""

    def __init__(self, context, hosts):
        self.socket = context.socket(zmq.SUB)
        self.socket.linger = 0
        self.socket.subscribe(b"")
        for host in hosts:
            self.socket.connect(host["tapEndpoint"])
        self.effects = []
        self.settlements = []
        self.messages = []
        self.heads = {}
        self.gaps = 0

    def read(self, seconds):
        """Takes what comes, and returns when something has come or the time is over."""
        if not self.socket.poll(seconds * 1000):
            return
        while self.socket.poll(0):
            message = self.socket.recv()
            self.messages.append(message)
            if message[0] == 0xFF:
                continue
            found = frame(message)
            topic = found["topic"]
            if topic.startswith("~") and not topic.startswith("~settled."):
                continue
            for record in found["records"]:
                if record["kind"] == "effect" and not topic.startswith("~"):
                    self.count(found, record)
                    self.effects.append({**record, "topic": topic, "publisher": found["publisher"]})
                elif record["kind"] == "settled" and topic.startswith("~settled."):
                    if record["sequence"] > 0:
                        self.count(found, record)
                    for position, sequence in record["effects"]:
                        self.settlements.append({
                            **record, "position": position, "effectSequence": sequence, "recipient": found["publisher"],
                            "publisher": topic[len("~settled."):]})

    def count(self, found, record):
        stream_id = (found["publisher"], found["epoch"], found["topic"])
        last = self.heads.get(stream_id)
        if last is not None and record["sequence"] > last + 1:
            self.gaps += record["sequence"] - last - 1
        self.heads[stream_id] = max(last or 0, record["sequence"])

    def wait(self, condition, seconds):
        """Whether the condition came true in time."""
        end = time.monotonic() + seconds
        while not condition():
            left = end - time.monotonic()
            if left <= 0:
                return False
            self.read(left)
        return True


# --- What is checked --------------------------------------------------------------------------------------------------

def examples(document):
    with open(document, encoding="utf-8") as file:
        blocks = re.findall(r"```hex (\S+)\n(.*?)```", file.read(), re.S)
    check("the document has examples", len(blocks) > 10, f"{len(blocks)} in {document}")
    check("CRC-32C has the published check value", crc32c(b"123456789") == 0xE3069283, hex(crc32c(b"123456789")))
    for name, text in blocks:
        data = bytes.fromhex("".join(line.split("#")[0] for line in text.splitlines()))
        if name.startswith("Frames/"):
            records = frame(data)["records"]
            for record in records:
                for key in ("payload", "result"):
                    if record.get(key):
                        cbor2.loads(record[key])
            check(f"{name} is a frame", len(records) > 0, "it has no record")
        elif name.startswith("Records/"):
            reader = Reader(data)
            kind = reader.blob()[0]
            check(f"{name} is one record", reader.at == len(data), f"{len(data) - reader.at} bytes follow it")
            header = b"A\0\x03\x01A\x01\x01" + crc32c(data).to_bytes(4, "big")
            records = frame(header + data)["records"]
            if kind == 17:
                check(f"{name} says what was refused, where and why", len(records) == 1 and records[0]["reason"] == "undeclared"
                      and records[0]["site"][1] == 41 and records[0]["ancestry"] == [("Auth", 3 << 40 | 7)], records)
                continue
            check(f"{name} is of no kind that travels", kind not in RECORDS, kind)
            check(f"{name} is skipped by who meets it", records == [], data.hex())
        else:
            value = cbor2.loads(data)
            # An independent encoder writes the same bytes; but cbor2 has no 4-byte numbers.
            same = name == "CBOR/struct" or cbor2.dumps(value) == data
            check(f"{name} has the bytes that another encoder gives it", same, cbor2.dumps(value).hex())


def emit(run):
    context = zmq.Context()
    broker = Broker(context, run)
    status = broker.status()
    check("the cluster is open", status["phase"] == "open", status["phase"])
    hosts = {host["id"]: host for host in status["picture"]["hosts"]}
    members = {entry["module"]: entry for entry in status["picture"]["members"]}
    check("the broker's own host is named", "cluster" in hosts, ", ".join(hosts))
    check("Profile handles its own effects", "Profile.Business.Effect" in members["Profile"]["handles"], members["Profile"])
    check("Profile's host is among the hosts", members["Profile"]["host"] in hosts, members["Profile"])
    check("every module is ready", all(module["state"]["phase"] == "ready" for module in status["modules"]), status["modules"])

    refused = cbor2.loads(Broker(context, run).exchange(b"\xff\x00"))["client"]["_0"]
    check("a message that is no CBOR is refused", refused["body"].get("refused", {}).get("code") == "broker.message", refused)

    tap = Tap(context, status["picture"]["hosts"])
    topic, label = "Profile.Business.Effect", "interop"
    contract = broker.fingerprint("Profile", topic)
    # The tap hears from some moment on: until it has heard a whole story, another one is told.
    for _ in range(10):
        identifier, user = secrets.token_hex(16), "u-" + secrets.token_hex(4)
        fields = {"about": "written in Python", "userId": user, "displayName": "Guido"}
        kind, body, answer = broker.emit(identifier, topic, "updateProfile", fields, label, contract=contract)
        check("the effect is emitted", kind == "emitted", body)
        result = body["_0"]
        module, position = result["effect"].split("#")
        position = int(position)

        def emitted():
            return [e for e in tap.effects if (e["publisher"], e["position"]) == (module, position)]

        def caused():
            return [e for e in tap.effects if e["publisher"] == "Profile" and (module, position) in e["ancestry"]]

        def settlements():
            return [s for s in tap.settlements
                    if (s["publisher"], s["position"], s["recipient"]) == (module, position, "Profile")]

        if tap.wait(lambda: emitted() and caused() and settlements(), 2):
            break
    else:
        raise Mismatch("the tap has not heard one effect, its settlement and what it caused in ten tries")

    check("the ingress speaks as the module Cluster", module == "Cluster", result["effect"])
    check("every recipient has succeeded", result["succeeded"] and not result["unhandled"], shown(result))
    outcome = next((entry for entry in result["outcomes"] if entry["recipient"] == "Profile" and entry["value"]), None)
    check("Profile has answered with a value", outcome is not None, shown(result["outcomes"]))
    profile = cbor2.loads(outcome["value"])
    check("the value is the profile", profile == {**fields, "revision": 1}, profile)

    said = emitted()[0]
    check("the tap hears the effect on its topic", said["topic"] == topic, said["topic"])
    check("its case is a field", said["case"] == "updateProfile", said["case"])
    check("its payload is what was sent", cbor2.loads(said["payload"]) == {"updateProfile": fields}, said["payload"].hex())
    check("its label and site are the ingress's", (said["label"], said["file"]) == (label, "ingress"), (said["label"], said["file"]))
    check("nothing has caused it", said["ancestry"] == [], said["ancestry"])
    check("it has the contract that the client went by", said["fingerprint"] == contract != 0, said["fingerprint"])
    check("its wall time is now", abs(said["time"] / 1000 - time.time()) < 600, said["time"])
    settlement = settlements()[0]
    check("the settlement says that Profile succeeded", settlement["status"] == 0, settlement["status"])
    check(
        "the settlement names the effect's place in its stream",
        (settlement["topic"], settlement["effectSequence"]) == (topic, said["sequence"]),
        (settlement["topic"], settlement["effectSequence"], said["sequence"]))
    check("a handler that ran once has left nothing out", settlement["diverged"] == [], settlement["diverged"])
    values = [cbor2.loads(o["value"]) for o in cbor2.loads(settlement["result"]) if "value" in o]
    check("the settlement carries the same value", profile in values, values)
    told = caused()[0]
    check("what it caused names it as its cause", told["ancestry"][-1] == (module, position), told["ancestry"])
    check("what it caused has the contract that Profile was built with", told["fingerprint"] == contract, told["fingerprint"])
    check("what it caused is profileUpdated", told["case"] == "profileUpdated", told["case"])

    _, _, again = broker.emit(identifier, topic, "updateProfile", fields, label)
    check("a repeated request id gets the same answer", again == answer, shown(cbor2.loads(again)))
    _, _, elsewhere = Broker(context, run).emit(identifier, topic, "updateProfile", fields, label)
    check("also from another connection", elsewhere == answer, shown(cbor2.loads(elsewhere)))
    _, body, _ = broker.emit(secrets.token_hex(16), topic, "fetchProfile", {"userId": user}, label)
    revisions = [cbor2.loads(o["value"])["revision"] for o in body["_0"]["outcomes"] if o["value"]]
    check("the repeated request was handled once", revisions == [1], revisions)
    kind, body, _ = broker.emit(secrets.token_hex(16), "Interop.Nobody", "asks", {}, label)
    check("an effect for nobody is a success, unhandled", kind == "emitted" and body["_0"]["unhandled"], body)
    kind, body, _ = broker.emit(secrets.token_hex(16), topic, "noSuchCase", {}, label)
    check(
        "an effect that cannot be decoded comes back as failed",
        kind == "emitted" and not body["_0"]["succeeded"], shown(body))
    check("the tap has missed nothing since it began to hear", tap.gaps == 0, tap.gaps)
    print(json.dumps({
        "effect": result["effect"], "succeeded": result["succeeded"], "unhandled": result["unhandled"],
        "outcomes": [{**shown(entry), "value": shown(cbor2.loads(entry["value"])) if entry["value"] else None}
                     for entry in result["outcomes"]],
        "caused": [{"id": f"{e['publisher']}#{e['position']}", "topic": e["topic"], "case": e["case"],
                    "payload": shown(cbor2.loads(e["payload"]))} for e in caused()],
    }, indent=2, ensure_ascii=False))


def sealed(value):
    """The tagged values in it."""
    if isinstance(value, cbor2.CBORTag):
        return [value]
    elements = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [tag for element in elements for tag in sealed(element)]


def secret(run, password, command):
    context = zmq.Context()
    tap = Tap(context, Broker(context, run).status()["picture"]["hosts"])
    for number in range(10):
        name = f"interop-{secrets.token_hex(4)}"
        sender = [part.replace("NAME", name) for part in command]
        done = subprocess.run(sender, input=password + "\n", capture_output=True, text=True, check=False)
        check("an effect with a secret is sent", done.returncode == 0, done.stderr)

        def heard():
            return [e for e in tap.effects if name in str(cbor2.loads(e["payload"]))]

        if tap.wait(heard, 2):
            break
    else:
        raise Mismatch("the tap has not heard the effect in ten tries")
    tags = sealed(cbor2.loads(heard()[0]["payload"]))
    check("the secret travels under its tag", [tag.tag for tag in tags] == [SECRET_TAG], tags)
    check("what is sealed is bytes", isinstance(tags[0].value, bytes), tags)
    check("it is shown as •••", "•••" in str(shown(cbor2.loads(heard()[0]["payload"]))), "")
    check(
        f"none of {len(tap.messages)} messages holds the password", all(password.encode() not in m for m in tap.messages), "")


def main(arguments):
    try:
        match arguments:
            case ["examples", document]:
                examples(document)
            case ["emit", run]:
                emit(run)
            case ["secret", run, password, *command] if command:
                secret(run, password, command)
            case _:
                print(__doc__, file=sys.stderr)
                return 2
    except (Mismatch, cbor2.CBORDecodeError, UnicodeDecodeError, KeyError, IndexError, zmq.ZMQError) as error:
        print(f"failed  {type(error).__name__}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
