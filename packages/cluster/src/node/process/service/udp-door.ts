import dgram from "node:dgram";
import type { Backend } from "./directory.ts";
import type { Door } from "./proxy.ts";

/** A client that has been silent for so long is forgotten; its next datagram may go to another backend. Milliseconds. */
const IDLE = 30_000;

interface Flow {
  send(datagram: Uint8Array): void;
  close(): void;
}

/** Leads every client's datagrams to one backend, and its answers back, as long as both talk. */
export async function udpDoor(address: string, port: number, choose: (from: string) => Backend | undefined): Promise<Door> {
  const entrance = dgram.createSocket("udp4");
  const flows = new Map<string, Flow>();
  entrance.on("message", (datagram, client) => {
    const key = `${client.address}:${client.port}`;
    const known = flows.get(key) ?? begin(key, choose(client.address), (answer) => entrance.send(answer, client.port, client.address));
    known?.send(datagram);
  });
  await new Promise<void>((resolve, reject) => {
    entrance.once("error", reject);
    entrance.bind(port, address, resolve);
  });
  // What cannot be delivered is lost, as datagrams are.
  entrance.on("error", () => {});
  entrance.unref();

  function begin(key: string, backend: Backend | undefined, answer: (datagram: Uint8Array) => void): Flow | undefined {
    if (backend === undefined) return undefined;
    const socket = dgram.createSocket("udp4");
    let idle: NodeJS.Timeout | undefined;
    const close = () => {
      if (flows.get(key) !== flow) return;
      flows.delete(key);
      clearTimeout(idle);
      socket.close();
    };
    const talk = () => {
      clearTimeout(idle);
      idle = setTimeout(close, IDLE).unref();
    };
    const connected = new Promise<void>((resolve) => socket.once("connect", () => resolve()));
    const flow: Flow = {
      send(datagram) {
        talk();
        void connected.then(() => flows.get(key) === flow && socket.send(datagram));
      },
      close,
    };
    flows.set(key, flow);
    socket.on("message", (datagram) => {
      talk();
      answer(datagram);
    });
    // Nobody listens there any more: the next datagram finds another.
    socket.on("error", close);
    socket.connect(backend.port, backend.address);
    socket.unref();
    return flow;
  }
  return {
    async close() {
      for (const flow of [...flows.values()]) flow.close();
      await new Promise<void>((resolve) => entrance.close(() => resolve()));
    },
  };
}
