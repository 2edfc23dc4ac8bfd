"""A proxy on 127.0.0.1 in front of a server, to lose what one says to the other."""

import selectors
import socket
import struct
import threading
import time

RESET_ON_CLOSE = struct.pack("ii", 1, 0)


class TcpProxy:
    """`mode` pass: as if it were not there. mute: the server hears everything, its answers are lost. deaf: the server
    hears nothing more. hold: what it would hear waits for another mode."""

    def __init__(self, server_port):
        self.server_port = server_port
        self.mode = "pass"
        self.lost = 0  # bytes
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.listener, selectors.EVENT_READ)
        self.resetting = threading.Event()
        self.ending = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def reset(self):
        """Breaks every connection there is (RST); those made afterwards are whole."""
        self.resetting.set()

    def close(self):
        self.ending.set()
        self.thread.join()

    def run(self):
        while not self.ending.is_set():
            if self.resetting.is_set():
                self.break_all()
                self.resetting.clear()
            for key, _ in self.selector.select(0.02):
                if key.fileobj is self.listener:
                    self.accept()
                elif key.fileobj.fileno() >= 0:  # else its other half ended in this very round
                    self.move(key.fileobj, *key.data)
        self.break_all()
        self.listener.close()

    def accept(self):
        client, _ = self.listener.accept()
        try:
            server = socket.create_connection(("127.0.0.1", self.server_port), timeout=5)
        except OSError:
            client.close()
            return
        self.selector.register(client, selectors.EVENT_READ, (server, False))
        self.selector.register(server, selectors.EVENT_READ, (client, True))

    def move(self, source, target, answers):
        if self.mode == "hold" and not answers:
            time.sleep(0.005)
            return
        try:
            data = source.recv(1 << 16)
            if data and self.mode == ("mute" if answers else "deaf"):
                self.lost += len(data)
            elif data:
                target.sendall(data)
        except OSError:
            data = b""
        if not data:
            self.end(source, target)

    def end(self, *pair):
        for each in pair:
            self.selector.unregister(each)
            each.close()

    def break_all(self):
        for key in list(self.selector.get_map().values()):
            if key.fileobj is self.listener:
                continue
            key.fileobj.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
            self.end(key.fileobj)
