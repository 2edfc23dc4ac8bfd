"""A real Kafka broker: one process in KRaft mode, on free ports, in a scratch folder.

`./dev setup test` puts its jars, and librdkafka for Python, into build/tools/kafka. It starts in a second or two: one
for all tests of a file, a topic for each test.
"""

import contextlib
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

from stores import REPOSITORY, free_port, wait_until

TOOLS = REPOSITORY / "build" / "tools" / "kafka"
ARCHIVE = TOOLS / "classes.jsa"  # what Java has read of the jars: halves the time of a start
FORMATTED = TOOLS / "formatted"  # a log folder as the broker's own tool makes it: the same for every broker
sys.path.insert(0, str(TOOLS / "python"))

JAVA = ("java", "-Xms64m", "-Xmx256m", "-XX:+UseSerialGC", "-XX:MaxMetaspaceSize=128m", "-XX:ReservedCodeCacheSize=64m",
        "-XX:TieredStopAtLevel=1", "-Xss512k", "-XX:MaxDirectMemorySize=64m",
        "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-Xlog:cds=off", "-Xlog:cds+dynamic=off")
CLUSTER = "c2NvcmVsaW5lLXRlc3RzLg"
SETTINGS = """
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller_port}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller_port}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
log.dirs={data}
auto.create.topics.enable=false
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
share.coordinator.state.topic.num.partitions=1
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
num.network.threads=2
num.io.threads=2
log.cleaner.dedupe.buffer.size=4194304
log.segment.bytes=16777216
message.max.bytes=2097152
# The controller refuses a broker that was killed and comes back until its old session is over.
broker.session.timeout.ms=2000
broker.heartbeat.interval.ms=500
"""


def what_is_missing():
    """Why no broker can be started here; None: it can."""
    if not (TOOLS / "pin").exists():
        return "Kafka is not there: ./dev setup test fetches it"
    return None if shutil.which("java") else "Java is not installed: ./dev setup test does it"


class Broker:
    """`kill` is SIGKILL: after `start` it has the same ports and everything that was written."""

    def __init__(self, *settings, port=None, archive=f"-XX:SharedArchiveFile={ARCHIVE}"):
        """`settings` are further lines of server.properties."""
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="scoreline-kafka-"))
        self.port = port or free_port()
        self.archive = archive
        self.properties = self.folder / "server.properties"
        text = SETTINGS.format(port=self.port, controller_port=free_port(), data=self.folder / "data")
        self.properties.write_text(text + "\n".join(settings) + "\n")
        self.log_path = self.folder / "broker.log"
        self.process = None
        self._client = None
        self._producer = None
        try:
            shutil.copytree(FORMATTED, self.folder / "data")
            self.start()
        except BaseException:
            self.close()
            raise

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"

    def start(self):
        with self.log_path.open("ab") as log:
            self.process = subprocess.Popen(  # pylint: disable=consider-using-with
                [*JAVA, self.archive, "-cp", f"{TOOLS}/libs/*", "kafka.Kafka", self.properties], cwd=self.folder,
                stdout=log, stderr=subprocess.STDOUT)
        wait_until(self._answers, "Kafka", timeout=120)

    def _answers(self):
        assert self.process.poll() is None, f"Kafka ended: {self.log_path.read_text(errors='replace')[-2000:]}"
        from confluent_kafka import KafkaException
        try:
            return self.admin.list_topics(timeout=1).brokers
        except KafkaException:
            return False

    @property
    def running(self):
        return self.process is not None and self.process.poll() is None

    def kill(self):
        if self.running:
            self.process.kill()
        self.process.wait()

    @contextlib.contextmanager
    def hung(self):
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    def close(self):
        self._producer = self._client = None
        if self.process is not None:
            self.kill()
        shutil.rmtree(self.folder)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # What the broker is asked and told.

    def _conf(self, **more):
        quiet = {"log_level": 0, "socket.timeout.ms": 10000, "reconnect.backoff.max.ms": 500}
        return {"bootstrap.servers": self.address} | quiet | {key.replace("_", "."): v for key, v in more.items()}

    @property
    def admin(self):
        from confluent_kafka.admin import AdminClient
        self._client = self._client or AdminClient(self._conf())
        return self._client

    def create_topic(self, topic, partitions, **config):
        """`config` as `segment_bytes=1`. Nothing is deleted by age: messages of tests are as old as they say."""
        from confluent_kafka.admin import NewTopic
        named = {"retention.ms": "-1"} | {key.replace("_", "."): str(value) for key, value in config.items()}
        self.admin.create_topics([NewTopic(topic, partitions, 1, config=named)])[topic].result(30)
        wait_until(lambda: len(self.admin.list_topics(topic, timeout=5).topics[topic].partitions) == partitions, topic)

    def produce(self, topic, messages):
        """(partition, key, value, milliseconds) each; a value is bytes or None. Waits until all are written."""
        from confluent_kafka import Producer
        if self._producer is None:
            self._producer = Producer(self._conf(acks="all", linger_ms=5, message_max_bytes=2000000,
                                                 queue_buffering_max_messages=200000) |
                                      {"enable.idempotence": True})
        failures = []

        def written(error, _):
            if error is not None:
                failures.append(error)

        for partition, key, value, milliseconds in messages:
            while True:
                try:
                    self._producer.produce(topic, value, key, partition, on_delivery=written, timestamp=milliseconds)
                    break
                except BufferError:
                    self._producer.poll(0.1)
            self._producer.poll(0)
        left = self._producer.flush(120)
        assert left == 0 and not failures, f"{left} messages were not written; {failures[:3]}"

    def delete_records(self, topic, before):
        """`before`: by partition, the offset that is the first to stay."""
        from confluent_kafka import TopicPartition
        wanted = [TopicPartition(topic, partition, offset) for partition, offset in before.items()]
        for done in self.admin.delete_records(wanted).values():
            done.result(30)

    def committed(self, group, topic):
        """By partition, where the group goes on; nothing for a partition it has not committed."""
        from confluent_kafka import ConsumerGroupTopicPartitions
        done = self.admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)])[group].result(30)
        return {at.partition: at.offset for at in done.topic_partitions if at.topic == topic and at.offset >= 0}

    def ends(self, topic):
        """By partition, the offset that the next message gets."""
        from confluent_kafka import TopicPartition
        from confluent_kafka.admin import OffsetSpec
        partitions = self.admin.list_topics(topic, timeout=10).topics[topic].partitions
        asked = self.admin.list_offsets({TopicPartition(topic, number): OffsetSpec.latest() for number in partitions})
        return {at.partition: found.result(30).offset for at, found in asked.items()}

    def lag(self, group, topic):
        committed = self.committed(group, topic)
        return sum(end - committed.get(partition, 0) for partition, end in self.ends(topic).items())


def make_ready():
    """Once after the jars are there: a formatted folder and Java's archive, which every broker then starts from."""
    shutil.rmtree(FORMATTED, ignore_errors=True)
    ARCHIVE.unlink(missing_ok=True)
    with tempfile.NamedTemporaryFile("w", suffix=".properties") as properties:
        properties.write(SETTINGS.format(port=1, controller_port=2, data=FORMATTED))
        properties.flush()
        subprocess.run([*JAVA, "-cp", f"{TOOLS}/libs/*", "kafka.tools.StorageTool", "format", "-t", CLUSTER, "-c",
                        properties.name], check=True, stdout=subprocess.DEVNULL)
    with Broker(archive=f"-XX:ArchiveClassesAtExit={ARCHIVE}") as broker:
        broker.create_topic("any", 1)
        broker.produce("any", [(0, b"key", b"value", 1)])
        broker.committed("any", "any")
        broker.process.terminate()
        broker.process.wait(60)


if __name__ == "__main__":
    make_ready()
