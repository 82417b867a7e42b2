import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { lastWords } from "./last-words.ts";

/** Both ends of a connection; the far one has said something and hung up so hard that our next write fails. */
async function cutOff(said: string): Promise<Socket> {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const accepted = once(server, "connection") as Promise<[Socket]>;
  const ours = connect((server.address() as AddressInfo).port, "127.0.0.1");
  await once(ours, "connect");
  const [theirs] = await accepted;
  server.close();
  theirs.write(said);
  theirs.resetAndDestroy();
  return ours;
}

describe("lastWords", () => {
  it("are heard although the write failed before they were read", async () => {
    const ours = await cutOff("goodbye");
    const heard: string[] = [];
    const take = (chunk: Buffer) => void heard.push(chunk.toString());
    lastWords(ours, take);
    ours.on("data", take);
    // In the same turn of the loop: nothing has been read yet.
    ours.write("are you there?");
    const [error] = await once(ours, "error");
    expect(error).toMatchObject({ syscall: "write" });
    expect(heard).toEqual(["goodbye"]);
    expect(ours.destroyed).toBe(true);
  });

  it("are not waited for by whoever hangs up", async () => {
    const ours = await cutOff("goodbye");
    lastWords(ours, () => {});
    ours.on("error", () => {});
    ours.destroy(new Error("enough"));
    expect(ours.destroyed).toBe(true);
  });
});
