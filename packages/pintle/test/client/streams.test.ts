import { createHash } from "node:crypto";
import { EventEmitter, once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { createFrameDecoder } from "../../src/client/http/websocket/frames.ts";
import { type Client, ConnectionError, connect, Forbidden, ServerError } from "../../src/client/index.ts";
import { Pod, ref } from "./kinds.ts";
import { sendStatus, type TestServer, testServer } from "./server.ts";

/** The server's side of a WebSocket, as kubelets speak it: the first byte of a message is its stream. */
class Peer {
  readonly request: IncomingMessage;
  readonly #socket: Duplex;
  constructor(request: IncomingMessage, socket: Duplex, protocol: string) {
    this.request = request;
    this.#socket = socket;
    const accept = createHash("sha1")
      .update(`${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest("base64");
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\nsec-websocket-protocol: ${protocol}\r\n\r\n`,
    );
    socket.on("error", () => {});
  }
  frame(opcode: number, payload: Uint8Array): void {
    const head = payload.length < 126 ? [0x80 | opcode, payload.length] : [0x80 | opcode, 126, payload.length >> 8, payload.length & 255];
    this.#socket.write(Buffer.concat([Buffer.from(head), payload]));
  }
  send(stream: number, data: string | Uint8Array): void {
    this.frame(2, Buffer.concat([Buffer.from([stream]), Buffer.from(data as Uint8Array)]));
  }
  goodbye(): void {
    this.frame(8, Buffer.from([3, 232]));
    this.#socket.end();
  }
  cut(): void {
    this.#socket.destroy();
  }
  /** Messages of the client; ends with its goodbye. */
  async *messages(): AsyncGenerator<Buffer> {
    const decode = createFrameDecoder();
    for await (const chunk of this.#socket) {
      for (const frame of decode(chunk as Buffer)) {
        if (frame.opcode === 8) return;
        yield frame.opcode === 10 ? Buffer.concat([Buffer.from("pong:"), frame.payload]) : frame.payload;
      }
    }
  }
}

async function withPeer(
  protocol: string,
  serve: (peer: Peer) => unknown,
  use: (client: Client, server: TestServer) => Promise<void>,
): Promise<void> {
  await using server = await testServer(() => {});
  server.onUpgrade((request, socket) => void Promise.resolve(serve(new Peer(request, socket, protocol))).catch(() => {}));
  const client = await connect({ access: { ...server.access, user: { token: "t", impersonate: { user: "jane", groups: ["a", "b"] } } } });
  try {
    await use(client, server);
  } finally {
    await client.close();
  }
}
const V5 = "v5.channel.k8s.io";
const success = JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Success" });
const exitStatus = (code: number) =>
  JSON.stringify({
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    reason: "NonZeroExitCode",
    details: { causes: [{ reason: "ExitCode", message: String(code) }] },
  });
const collectText = async (stream: AsyncIterable<Uint8Array>) => {
  let out = "";
  for await (const chunk of stream) out += Buffer.from(chunk).toString();
  return out;
};

describe("exec", () => {
  it("returns stdout, stderr and the exit code", () =>
    withPeer(
      V5,
      (peer) => {
        const url = new URL(peer.request.url!, "http://x");
        peer.send(1, `${url.pathname} ${url.searchParams.getAll("command").join(" ")} ${url.searchParams.get("container")}`);
        peer.send(2, peer.request.rawHeaders.filter((_, i, all) => /^(authorization|impersonate)/.test(all[i - 1] ?? "")).join("|"));
        peer.send(1, "x".repeat(60_000));
        peer.send(3, exitStatus(3));
        peer.goodbye();
      },
      async (client) => {
        const run = await client.exec(Pod, ref, { command: ["ls", "-l"], container: "main" });
        expect(await collectText(run.stdout)).toBe(`/api/v1/namespaces/default/pods/a/exec ls -l main${"x".repeat(60_000)}`);
        expect(await collectText(run.stderr)).toBe("jane|a|b|Bearer t");
        expect(await run.exit).toBe(3);
      },
    ));

  it("sends stdin and its end, responds to pings, and resizes", () =>
    withPeer(
      V5,
      async (peer) => {
        peer.frame(9, Buffer.from("hi"));
        const received: string[] = [];
        for await (const message of peer.messages()) {
          received.push(
            message[0] === 112 ? message.toString() : `${message[0]}:${message[0] === 255 ? message[1] : message.subarray(1).toString()}`,
          );
          if (received.length < 5) continue;
          peer.send(1, received.sort().join("|"));
          peer.send(3, success);
          peer.goodbye();
        }
      },
      async (client) => {
        const run = await client.exec(Pod, ref, { command: ["cat"], stdin: ["one", Buffer.from("two")], tty: true });
        run.resize({ columns: 80, rows: 25 });
        expect(await collectText(run.stdout)).toBe('0:one|0:two|255:0|4:{"Width":80,"Height":25}|pong:hi');
        expect(await run.exit).toBe(0);
      },
    ));

  it("drops the empty messages with which API servers begin each stream", () =>
    withPeer(
      V5,
      (peer) => {
        for (const stream of [1, 2, 3]) peer.send(stream, "");
        peer.send(1, "out");
        peer.send(3, success);
        peer.goodbye();
      },
      async (client) => {
        const run = await client.exec(Pod, ref, { command: ["x"] });
        const chunks: string[] = [];
        for await (const chunk of run.stdout) chunks.push(Buffer.from(chunk).toString());
        expect([chunks, await run.exit]).toEqual([["out"], 0]);
      },
    ));

  it("rejects with the error of stdin and closes the connection", () => {
    const torn = new Error("torn");
    const left = new EventEmitter();
    const closed = once(left, "closed");
    return withPeer(
      V5,
      async (peer) => {
        for await (const _ of peer.messages());
        left.emit("closed");
      },
      async (client) => {
        const stdin = (function* () {
          yield "one";
          throw torn;
        })();
        const run = await client.exec(Pod, ref, { command: ["cat"], stdin });
        await closed;
        await expect(run.exit).rejects.toBe(torn);
        await expect(collectText(run.stdout)).rejects.toBe(torn);
      },
    );
  });

  it("uses v4 when the server has no v5", () =>
    withPeer(
      "v4.channel.k8s.io",
      (peer) => {
        peer.send(3, success);
        peer.goodbye();
      },
      async (client) => expect(await (await client.exec(Pod, ref, { command: ["x"] })).exit).toBe(0),
    ));

  it("rejects with the Status of the server", () =>
    withPeer(
      V5,
      (peer) => {
        peer.send(
          3,
          JSON.stringify({
            kind: "Status",
            apiVersion: "v1",
            status: "Failure",
            reason: "InternalError",
            message: "no such file: nope",
            code: 500,
          }),
        );
        peer.goodbye();
      },
      async (client) => {
        const run = await client.exec(Pod, ref, { command: ["nope"] });
        await expect(run.exit).rejects.toThrow(ServerError);
        await expect(run.exit).rejects.toThrow(/Pod default\/a: no such file: nope/);
      },
    ));

  it.each<[string, (peer: Peer) => void]>([
    ["breaks", (peer) => peer.cut()],
    ["ends without a word about the command", (peer) => peer.goodbye()],
  ])("fails when the connection %s", (_, end) =>
    withPeer(
      V5,
      (peer) => {
        peer.send(1, "begun");
        setImmediate(() => end(peer));
      },
      async (client) => {
        const run = await client.exec(Pod, ref, { command: ["x"] });
        await expect(run.exit).rejects.toThrow(ConnectionError);
        await expect(collectText(run.stdout)).rejects.toThrow(ConnectionError);
      },
    ),
  );

  it("rejects with the reason of the signal", () =>
    withPeer(
      V5,
      () => {},
      async (client) => {
        const controller = new AbortController();
        const run = await client.exec(Pod, ref, { command: ["sleep"], signal: controller.signal });
        controller.abort(new Error("enough"));
        await expect(run.exit).rejects.toThrow("enough");
      },
    ));

  it("rejects with the error of the response when it is refused", async () => {
    await using server = await testServer((_, response) => sendStatus(response, 403, "Forbidden"));
    const client = await connect({ access: server.access });
    await expect(client.exec(Pod, ref, { command: ["x"] })).rejects.toThrow(Forbidden);
    await client.close();
  });

  it("rejects when the server supports none of the protocols", () =>
    withPeer(
      "other",
      () => {},
      async (client) => {
        await expect(client.exec(Pod, ref, { command: ["x"] })).rejects.toThrow(
          /supports none of the protocols v5.channel.k8s.io, v4.channel.k8s.io/,
        );
      },
    ));
});

describe("portForward", () => {
  const port = Buffer.from([80, 0]);

  it("is a duplex stream", () =>
    withPeer(
      "v4.channel.k8s.io",
      async (peer) => {
        peer.send(0, port);
        peer.send(1, port);
        for await (const message of peer.messages()) {
          peer.send(0, `echo ${message.subarray(1)}`);
          peer.goodbye();
        }
      },
      async (client, server) => {
        const stream = await client.portForward(Pod, ref, 80);
        stream.write("hello");
        expect(await text(stream)).toBe("echo hello");
        expect(server.connections).toBe(1);
      },
    ));

  it("fails with the error of the pod", () =>
    withPeer(
      "v4.channel.k8s.io",
      (peer) => {
        peer.send(0, port);
        peer.send(1, Buffer.concat([port, Buffer.from("connection refused in pod")]));
      },
      async (client) => {
        const stream = await client.portForward(Pod, ref, 80);
        await expect(text(stream)).rejects.toThrow(/Pod default\/a, port 80: connection refused in pod/);
      },
    ));

  it("refuses an invalid port", () =>
    withPeer(
      "v4.channel.k8s.io",
      () => {},
      async (client) => await expect(client.portForward(Pod, ref, 0)).rejects.toThrow("Pod default/a: 0 is not a port"),
    ));
});
