import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { readAfterWriteError } from "./websocket.ts";

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
