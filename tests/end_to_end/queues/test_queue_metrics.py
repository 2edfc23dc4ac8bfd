"""What /metrics tells of queues, in memory and while Redis is away."""

from job_queue import JobQueue
from nodes import Nodes


def figures(server):
    """The lines about queues, by name with labels."""
    lines = server.get("/metrics").decode().splitlines()
    return {name: float(value) for name, value in
            (line.rsplit(" ", 1) for line in lines if line.startswith("scoreline_queue"))}


def test_every_state_and_every_deed_is_counted_by_queue(server, queue):
    assert figures(server) == {"scoreline_queues_up": 1}
    queue.ok("PUT", body={"maxAttempts": 1})
    queue.push_all([{"id": name} for name in "abcde"])
    queue.push("a")
    queue.push("later", delay="1h")
    done, failed, _held = queue.take(3, lease="60s")
    queue.done("ack", done)
    assert queue.done("nack", failed) == "dead"
    JobQueue(server, "other").push("x")
    told = figures(server)

    def of(what, more="", name="q"):
        return told[f'scoreline_queue_{what}{{queue="{name}"{more}}}']

    states = {state: of("jobs", f',state="{state}"') for state in ("ready", "delayed", "leased", "dead", "done")}
    assert states == {"ready": 2, "delayed": 1, "leased": 1, "dead": 1, "done": 0}
    deeds = ("enqueued", "duplicates", "taken", "acked", "nacked", "died", "leases_expired")
    assert [of(f"{deed}_total") for deed in deeds] == [6, 1, 3, 1, 1, 1, 0]
    assert of("memory_bytes") > 0 and of("paused") == 0 and 0 <= of("oldest_ready_seconds") < 60
    assert of("jobs", ',state="ready"', "other") == 1
    queue.ok("POST", ":pause")
    told = figures(server)
    assert of("paused") == 1


def test_queues_that_cannot_be_asked_keep_nothing_else_from_being_told(stores, tmp_path):
    with Nodes(stores, tmp_path, count=1, more=("--queues", stores[1].url + "/1")) as (server,):
        JobQueue(server).push("a")
        assert figures(server)['scoreline_queue_jobs{queue="q",state="ready"}'] == 1
        stores[1].hang()
        assert figures(server) == {"scoreline_queues_up": 0}
        assert "scoreline_results_total" in server.get("/metrics").decode()
        stores[1].resume()
