import type { DuplexChannel } from "pintle/client";
import { describe, expect, test } from "vitest";
import type { ContainerSession, ContainerSessionEnd, ContainerSessionOptions, TerminalSize } from "../../node/index.ts";
import { ApiError, internalError } from "../../status/index.ts";
import { handleRemoteCommand } from "./remote-command.ts";

const OPTIONS: ContainerSessionOptions = { stdin: true, stdout: true, stderr: true, tty: false };

/** A session that echoes its input to both outputs and ends with its input. */
function createEchoSession(end: ContainerSessionEnd): ContainerSession & { readonly sizes: TerminalSize[] } {
  const sizes: TerminalSize[] = [];
  const [stdout, stderr] = [createPipe(), createPipe()];
  let finish = (_: ContainerSessionEnd) => {};
  const ended = new Promise<ContainerSessionEnd>((resolve) => (finish = resolve));
  return {
    sizes,
    async write(chunk) {
      stdout.push(chunk);
      stderr.push(Buffer.from(`${Buffer.from(chunk)}!`));
    },
    endInput() {
      for (const each of [stdout, stderr]) each.push(undefined);
      finish(end);
    },
    stdout: stdout.chunks(),
    stderr: stderr.chunks(),
    resize: (size) => void sizes.push(size),
    end: ended,
    close() {},
  };
}

function createPipe() {
  const queue: (Uint8Array | undefined)[] = [];
  let notify = () => {};
  return {
    push(chunk: Uint8Array | undefined) {
      queue.push(chunk);
      notify();
    },
    async *chunks() {
      for (;;) {
        if (queue.length === 0) await new Promise<void>((resolve) => (notify = resolve));
        const chunk = queue.shift();
        if (chunk === undefined) return;
        yield chunk;
      }
    },
  };
}

const upgradeHeaders = (protocols: string) => ({
  headers: { connection: "Upgrade", upgrade: "websocket", ...(protocols === "" ? {} : { "sec-websocket-protocol": protocols }) },
});

/** Sends the messages as a client and returns what the server sends. */
async function receiveMessages(protocols: string, sent: readonly (string | Buffer)[], startSession: () => Promise<ContainerSession>) {
  const answer = await handleRemoteCommand(upgradeHeaders(protocols), OPTIONS, "executing command in", startSession);
  if (answer.body.type !== "messages") return answer;
  const protocol = String(answer.headers["sec-websocket-protocol"] ?? "");
  const messages: string[] = [];
  let close = () => {};
  const closed = new Promise<void>((resolve) => (close = resolve));
  const channel: DuplexChannel = {
    protocol,
    async send(message) {
      messages.push(Buffer.from(message).toString("latin1"));
    },
    async *messages() {
      for (const each of sent) yield Buffer.from(each as string);
      await closed;
    },
    close,
  };
  await answer.body.serve(channel);
  return { protocol, messages };
}

const SUCCESS = '{"metadata":{},"status":"Success"}';
const FAILURE =
  '{"metadata":{},"status":"Failure","message":"command terminated with non-zero exit code: command terminated with exit code 3","reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"3"}]}}';

describe("a command over a WebSocket", () => {
  const end = Buffer.of(255, 0);

  test.each([
    ["v5.channel.k8s.io, v4.channel.k8s.io", 0, ["\x01", "\x01hi", "\x02hi!", `\x03${SUCCESS}`]],
    ["v5.channel.k8s.io", 3, ["\x01", "\x01hi", "\x02hi!", `\x03${FAILURE}`]],
  ])("ends over %s with exit code %i", async (protocols, code, messages) => {
    expect(await receiveMessages(protocols, ["\x00hi", end], async () => createEchoSession({ code }))).toEqual({
      protocol: "v5.channel.k8s.io",
      messages,
    });
  });

  test.each([
    ["v4.channel.k8s.io", "\x00hi", ["\x01", "\x01hi", "\x02hi!", `\x03${FAILURE}`]],
    [
      "channel.k8s.io",
      "\x00hi",
      ["\x01", "\x01hi", "\x02hi!", "\x03command terminated with non-zero exit code: command terminated with exit code 3"],
    ],
    ["", "\x00hi", ["\x01", "\x01hi", "\x02hi!", "\x03command terminated with non-zero exit code: command terminated with exit code 3"]],
    ["v4.base64.channel.k8s.io", "0aGk=", ["1", "1aGk=", "2aGkh", `3${Buffer.from(FAILURE).toString("base64")}`]],
    [
      "base64.channel.k8s.io",
      "0aGk=",
      [
        "1",
        "1aGk=",
        "2aGkh",
        "3Y29tbWFuZCB0ZXJtaW5hdGVkIHdpdGggbm9uLXplcm8gZXhpdCBjb2RlOiBjb21tYW5kIHRlcm1pbmF0ZWQgd2l0aCBleGl0IGNvZGUgMw==",
      ],
    ],
  ])("ends with the final status over %s", async (protocol, sent, messages) => {
    const session = createEchoSession({ code: 3 });
    // These protocols cannot signal the end of input: the command ends by itself.
    const write = session.write.bind(session);
    session.write = async (chunk) => {
      await write(chunk);
      session.endInput();
    };
    expect(await receiveMessages(protocol, [sent], async () => session)).toEqual({ protocol, messages });
  });

  test("receives terminal sizes and ignores invalid ones", async () => {
    const session = createEchoSession({ code: 0 });
    await receiveMessages("v5.channel.k8s.io", ['\x04{"Width":80,"Height":24}', "\x04nonsense", end], async () => session);
    expect(session.sizes).toEqual([{ columns: 80, rows: 24 }]);
  });

  test("is refused by the node", async () => {
    const refuse = async () => {
      throw new ApiError(404, "NotFound", 'container not found ("main")');
    };
    expect(await receiveMessages("v4.channel.k8s.io", [], refuse)).toMatchObject({ status: 404, body: { type: "bytes" } });
    const { messages } = (await receiveMessages("v5.channel.k8s.io", [], refuse)) as { messages: string[] };
    expect(JSON.parse(messages[1]!.slice(1))).toMatchObject({
      status: "Failure",
      reason: "InternalError",
      message: 'Internal error occurred: unable to upgrade connection: container not found ("main")',
    });
  });

  test("reports a start failure in every protocol", async () => {
    const { messages } = (await receiveMessages("v4.channel.k8s.io", [], async () => {
      throw internalError("error executing command in container: no such program");
    })) as { messages: string[] };
    expect(JSON.parse(messages[1]!.slice(1)).message).toBe(
      "Internal error occurred: error executing command in container: no such program",
    );
  });
});

describe("a request without a supported upgrade", () => {
  const never = async (): Promise<ContainerSession> => {
    throw new Error("must not be called");
  };
  test.each([
    [{}, "Upgrade request required"],
    [{ connection: "Upgrade", upgrade: "h2c" }, "Upgrade request required"],
    [
      { connection: "Upgrade", upgrade: "websocket", "sec-websocket-protocol": "v9.channel.k8s.io" },
      "unable to upgrade: unable to negotiate protocol",
    ],
    [
      { connection: "Upgrade", upgrade: "SPDY/3.1", "x-stream-protocol-version": "v9" },
      "unable to upgrade: unable to negotiate protocol: client supports [v9], server accepts [v4.channel.k8s.io, v3.channel.k8s.io, v2.channel.k8s.io, channel.k8s.io]",
    ],
  ])("is refused: %j", async (headers, message) => {
    await expect(handleRemoteCommand({ headers }, OPTIONS, "attaching to", never)).rejects.toThrow(message);
  });
});
