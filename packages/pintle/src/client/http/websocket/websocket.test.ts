import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { describe, expect, it } from "vitest";
import { BINARY, CONTINUATION, encodeFrame, PING, TEXT } from "./frames.ts";
import { openWebSocket, readAfterWriteError } from "./websocket.ts";

/** Returns our end of a connection whose peer has sent something and reset it, so that our next write fails. */
async function connectToResettingPeer(sent: string): Promise<Socket> {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const accepted = once(server, "connection") as Promise<[Socket]>;
  const ours = connect((server.address() as AddressInfo).port, "127.0.0.1");
  await once(ours, "connect");
  const [theirs] = await accepted;
  server.close();
  theirs.write(sent);
  theirs.resetAndDestroy();
  return ours;
}

describe("readAfterWriteError", () => {
  it("delivers unread data although a write failed first", async () => {
    const ours = await connectToResettingPeer("goodbye");
    const received: string[] = [];
    const take = (chunk: Buffer) => void received.push(chunk.toString());
    readAfterWriteError(ours, take);
    ours.on("data", take);
    // In the same iteration of the event loop: nothing has been read yet.
    ours.write("are you there?");
    const [error] = await once(ours, "error");
    expect(error).toMatchObject({ syscall: "write" });
    expect(received).toEqual(["goodbye"]);
    expect(ours.destroyed).toBe(true);
  });

  it("destroys the socket at once when the caller closes it", async () => {
    const ours = await connectToResettingPeer("goodbye");
    readAfterWriteError(ours, () => {});
    ours.on("error", () => {});
    ours.destroy(new Error("enough"));
    expect(ours.destroyed).toBe(true);
  });
});

describe("a peer that sends too much", () => {
  /** Returns a channel, and the stream over which its peer sends. Nothing that we send is ever taken. */
  function open() {
    const written: Buffer[] = [];
    const socket = new Duplex({ read() {}, write: (chunk: Buffer) => void written.push(chunk) });
    const channel = openWebSocket(socket, "v5.channel.k8s.io", { server: "https://server", request: "GET /exec" } as never, undefined);
    const read = async () => {
      for await (const _message of channel.messages());
    };
    return { socket, written, read };
  }
  /** A fragment: the same frame without the bit that says that it is the last. */
  const fragment = (opcode: number, payload: Buffer) => {
    const frame = encodeFrame(opcode, payload);
    frame[0]! &= 0x7f;
    return frame;
  };

  it("loses the connection for a message of too many fragments", async () => {
    const { socket, read } = open();
    const reading = expect(read()).rejects.toThrow("a message is longer than");
    socket.push(fragment(TEXT, Buffer.alloc(9_000_000)));
    socket.push(fragment(CONTINUATION, Buffer.alloc(9_000_000)));
    await reading;
    expect(socket.destroyed).toBe(true);
  });

  it("loses the connection for a frame that announces too much", async () => {
    const { socket, read } = open();
    const reading = expect(read()).rejects.toThrow("is longer than");
    socket.push(Buffer.from([0x80 | BINARY, 127, 0, 0, 16, 0, 0, 0, 0, 0]));
    await reading;
    expect(socket.destroyed).toBe(true);
  });

  it("gets few responses to pings while it does not read them", async () => {
    const { socket } = open();
    for (let n = 0; n < 1000; n++) socket.push(encodeFrame(PING, Buffer.alloc(100)));
    await new Promise((resolve) => setImmediate(resolve));
    expect(socket.writableLength).toBeLessThan(16 * 200);
  });
});
