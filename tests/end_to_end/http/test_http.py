"""The server from outside the language it is written in: its contract (api/openapi.yaml), and floods of connections.

HTTP_TEST_SERVER is the path of http_test_server.
"""

import json
import os
import re
import resource
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[3]
SERVER = os.environ["HTTP_TEST_SERVER"]
METHODS = ("get", "put", "post", "delete", "patch", "head", "options", "trace")


@pytest.fixture(scope="module")
def contract():
    return yaml.safe_load((ROOT / "api" / "openapi.yaml").read_text(encoding="utf-8"))


class Server:
    def __init__(self, *arguments, files=None):
        def limit():
            if files is not None:
                resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))

        self.process = subprocess.Popen(
            [SERVER, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=limit
        )
        self.port = int(self.process.stdout.readline())

    def request(self, method, path, body=None, content_type="application/json"):
        """Status, media type and body."""
        data = body.encode() if isinstance(body, str) else None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data=data, method=method.upper())
        if data is not None:
            request.add_header("Content-Type", content_type)
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                media_type = answer.headers.get_content_type()
                endless = media_type == "text/event-stream"
                return answer.status, media_type, (answer.readline() if endless else answer.read()).decode()
        except urllib.error.HTTPError as error:
            return error.code, error.headers.get_content_type(), error.read().decode()

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=10)

    def cpu_seconds(self):
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self):
        self.process.stdin.close()
        ending = self.process.stdout.read().strip()
        assert self.process.wait(timeout=20) == 0
        return ending


@pytest.fixture
def server():
    running = Server()
    yield running
    assert running.stop() == "finished"


def resolve(contract, node):
    while isinstance(node, dict) and "$ref" in node:
        target = contract
        for part in node["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        node = target
    return node


def operations(contract):
    for path, item in contract["paths"].items():
        for method in METHODS:
            if method in item:
                yield path, method, item, item[method]


def test_every_route_is_in_the_contract_and_the_other_way_round(contract):
    out = subprocess.run([SERVER, "--routes"], check=True, capture_output=True, text=True).stdout
    served = set(out.split("\n")) - {""}
    written = {f"{method.upper()} {path}" for path, method, _, _ in operations(contract)}
    assert served == written


def test_every_reference_leads_somewhere(contract):
    for reference in re.findall(r'\$ref"?: "(#/[^"]+)"', (ROOT / "api" / "openapi.yaml").read_text(encoding="utf-8")):
        assert resolve(contract, {"$ref": reference}) is not None


def test_every_path_parameter_is_described(contract):
    for path, _, item, operation in operations(contract):
        described = [resolve(contract, p) for p in item.get("parameters", []) + operation.get("parameters", [])]
        in_path = {p["name"] for p in described if p["in"] == "path"}
        assert in_path == set(re.findall(r"\{(\w+)\}", path)), path


def examples(contract, operation):
    """Each example request body of an operation with its media type; one None without a body."""
    content = operation.get("requestBody", {}).get("content", {})
    if not content:
        yield None, None
    for media_type, media in content.items():
        if "example" in media:
            yield media_type, media["example"]
        for example in media.get("examples", {}).values():
            yield media_type, example["value"]


def fill_path(contract, path, item, operation):
    for parameter in item.get("parameters", []) + operation.get("parameters", []):
        described = resolve(contract, parameter)
        if described["in"] == "path":
            path = path.replace("{%s}" % described["name"], str(described["example"]))
    return path


def check(contract, schema, value, where):
    """As much of JSON Schema as the contract uses."""
    schema = resolve(contract, schema)
    for part in schema.get("allOf", []):
        check(contract, part, value, where)
    if "oneOf" in schema:
        fitting = 0
        for part in schema["oneOf"]:
            try:
                check(contract, part, value, where)
                fitting += 1
            except AssertionError:
                pass
        assert fitting == 1, where
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    python = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool}
    if types:
        assert any(value is None if t == "null" else isinstance(value, python[t]) for t in types), where
    if "const" in schema:
        assert value == schema["const"], where
    if "enum" in schema:
        assert value in schema["enum"], where
    if "minimum" in schema and value is not None:
        assert value >= schema["minimum"], where
    if isinstance(value, dict):
        for name in schema.get("required", []):
            assert name in value, f"{where}: {name} is missing"
        properties = schema.get("properties", {})
        for name, member in value.items():
            if name in properties:
                check(contract, properties[name], member, f"{where}.{name}")
            else:
                assert schema.get("additionalProperties", True), f"{where}: {name} is not in the contract"
    if isinstance(value, list) and "items" in schema:
        for element in value:
            check(contract, schema["items"], element, where)


def hold_jobs(server, path, target, body):
    """The body with receipts of leases that run: jobs are put in anew and taken; what `:retry` names is dead."""
    if path.endswith("}:retry"):
        body = {"receipt": None}
    if not isinstance(body, dict) or not ("receipt" in body or "receipt" in json.dumps(body.get("jobs"))):
        return body
    queue, _, rest = target.partition("/jobs/")
    queue = queue if rest else target[: target.rindex(":")]
    ids = [rest[: rest.rindex(":")]] if rest else [job["id"] for job in body["jobs"]]
    for job in ids:
        server.request("delete", f"{queue}/jobs/{job}")
    server.request("post", f"{queue}:resume")
    server.request("post", f"{queue}/jobs", {"jobs": [{"id": job, "maxAttempts": 1} for job in ids]})
    taken = json.loads(server.request("post", f"{queue}:take", {"max": 1000})[2])["jobs"]
    receipts = {job["id"]: job["receipt"] for job in taken}
    if path.endswith("}:retry"):
        server.request("post", f"{queue}/jobs/{ids[0]}:nack", {"receipt": receipts[ids[0]]})
        return None
    if rest:
        return {**body, "receipt": receipts[ids[0]]}
    return {**body, "jobs": [{"id": job, "receipt": receipts[job]} for job in ids]}


def test_example_requests_get_documented_answers(contract, server):
    # Reads come after the writes that they show, and what takes away comes last.
    order = {"put": 0, "post": 1, "get": 2, "delete": 3}
    todo = sorted(operations(contract), key=lambda o: (order[o[1]], o[0] == "/v1/leaderboards/{leaderboard}", o[0]))
    assert len(todo) >= 19
    for path, method, item, operation in todo:
        for media_type, body in examples(contract, operation):
            target = fill_path(contract, path, item, operation)
            if path.endswith("/points"):  # one of two forms must be chosen
                target += "?above=100"
            if "criteria" in json.dumps(body):  # those of a leaderboard that has them
                target = target.replace("/leaderboards/main", "/leaderboards/arena")
            body = hold_jobs(server, path, target, body)
            status, content_type, text = server.request(method, target, body, media_type)
            while status == 409 and "being made or compared" in text:  # the task that was begun just before
                status, content_type, text = server.request(method, target, body, media_type)
            where = f"{method} {target} → {status} {text}"
            if path.endswith("/archive"):  # nobody archives seasons here
                assert status == 409, where
                continue
            assert status in (200, 201, 202), where
            described = resolve(contract, operation["responses"][str(status)])
            assert content_type in described["content"], where
            schema = described["content"][content_type]["schema"]
            if content_type == "application/json":
                check(contract, schema, json.loads(text), where)


def test_example_answers_are_what_their_schemas_say(contract):
    for path, method, _, operation in operations(contract):
        for status, answer in operation["responses"].items():
            for media_type, media in resolve(contract, answer).get("content", {}).items():
                shown = [media["example"]] if "example" in media else []
                shown += [example["value"] for example in media.get("examples", {}).values()]
                for value in shown:
                    check(contract, media["schema"], value, f"{method} {path} {status} {media_type}")


def test_errors_are_documented_problems(contract, server):
    problem = {"$ref": "#/components/schemas/Problem"}
    cases = [
        ("get", "/v1/leaderboards/{leaderboard}", "/v1/leaderboards/nowhere", None),
        ("put", "/v1/leaderboards/{leaderboard}", "/v1/leaderboards/main", {"scale": 10}),
        ("put", "/v1/leaderboards/{leaderboard}", "/v1/leaderboards/main", "{"),
        ("post", "/v1/leaderboards/{leaderboard}/results", "/v1/leaderboards/main/results", {"playerId": "a"}),
        ("post", "/v1/leaderboards/{leaderboard}/results", "/v1/leaderboards/main/results", " " * 8388609),
        ("get", "/v1/queues/{queue}", "/v1/queues/nowhere", None),
        ("put", "/v1/queues/{queue}", "/v1/queues/a", {"lease": "25h"}),
        ("get", "/v1/queues/{queue}/jobs/{job}", "/v1/queues/a/jobs/nobody", None),
        ("post", "/v1/queues/{queue}/jobs", "/v1/queues/a/jobs", {"priority": 10}),
        ("post", "/v1/queues/{queue}/jobs", "/v1/queues/a/jobs", {"payload": "x" * 262144}),
        ("post", "/v1/queues/{queue}/jobs/{job}:ack", "/v1/queues/a/jobs/nobody:ack", {"receipt": "0" * 15 + "1"}),
        ("post", "/v1/queues/{queue}/jobs/{job}:retry", "/v1/queues/a/jobs/nobody:retry", None),
        ("post", "/v1/queues/{queue}:take", "/v1/queues/a:take", {"wait": "11m"}),
        ("post", "/v1/queues/{queue}:purge", "/v1/queues/a:purge", {}),
        ("get", "/seasons/{season}/leaderboard/players/{player}", "/seasons/12/leaderboard/players/nobody", None),
        ("get", "/seasons/{season}/leaderboard/top", "/seasons/12/leaderboard/top?n=0", None),
    ]
    for method, path, target, body in cases:
        status, content_type, text = server.request(method, target, body)
        where = f"{method} {target} → {status} {text}"
        assert status >= 400, where
        assert content_type == "application/problem+json", where
        assert str(status) in contract["paths"][path][method]["responses"], where
        answer = json.loads(text)
        check(contract, problem, answer, where)
        assert answer["status"] == status


def healthy(server):
    return server.request("get", "/healthz")[0] == 200


def flood(server, count):
    """Opens connections that send nothing; the kernel takes those that the server does not."""
    held = []
    for _ in range(count):
        connection = socket.socket()
        connection.settimeout(0.5)
        try:
            connection.connect(("127.0.0.1", server.port))
            held.append(connection)
        except OSError:
            connection.close()
    return held


@pytest.mark.parametrize("reserved", ["32", "0"])
def test_a_flood_with_few_files_neither_spins_nor_stays(reserved):
    """64 files: with some reserved the connection limit holds, with none the process runs out of them."""
    server = Server(reserved, files=64)
    assert healthy(server)
    held = flood(server, 300)
    assert len(held) > 64
    before = server.cpu_seconds()
    time.sleep(1.5)
    assert server.cpu_seconds() - before < 0.5, "waiting for files must not spin"
    for connection in held:
        connection.close()
    deadline = time.monotonic() + 15
    while not healthy(server):
        assert time.monotonic() < deadline
    assert server.stop() == "finished"


def test_five_thousand_connections_come_and_go(server):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = min(5000, (hard if hard != resource.RLIM_INFINITY else 6000) - 200)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most + 200, hard))
    try:
        held = flood(server, most)
        assert len(held) > most * 0.9
        for connection in held:
            connection.close()
        assert healthy(server)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_slow_header_does_not_outlive_its_deadline_however_it_drips(server):
    with server.connect() as connection:
        begin = time.monotonic()
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: h\r\n")
        answer = b""
        while not answer:
            try:
                connection.sendall(b"A: b\r\n")
                connection.settimeout(0.2)
                answer = connection.recv(4096)
            except socket.timeout:
                continue
        assert answer.startswith(b"HTTP/1.1 408 ")
        assert 1.5 < time.monotonic() - begin < 6
    assert healthy(server)
