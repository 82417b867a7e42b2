import { ignoreError, runInBackground } from "../../errors/index.ts";
import type { KindInfo } from "../../kinds/index.ts";
import { errorFromStatus } from "../errors/error-from-response.ts";
import { ConnectionError } from "../errors/request-errors.ts";
import type { Status } from "../errors/status.ts";
import type { DuplexChannel, Transport } from "../transport.ts";
import { formatPath, formatSubject } from "../verbs/path.ts";
import type { ExecOptions, ExecSession } from "../verbs/pod-types.ts";
import type { NamespacedName } from "../verbs/request.ts";
import { openChannel } from "./open-channel.ts";

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const ERROR = 3;
const RESIZE = 4;
/** v5 only: the next byte is the number of the stream that has ended. */
const CLOSE = 255;

const V5 = "v5.channel.k8s.io";
const V4 = "v4.channel.k8s.io";

/**
 * Returns the verb that runs a command in a container over a WebSocket: v5.channel.k8s.io, or v4 on servers without v5 (before 1.30),
 * where standard input cannot be ended.
 */
export function createExecVerb(transport: Transport) {
  return async (kind: KindInfo, ref: NamespacedName, options: ExecOptions): Promise<ExecSession> => {
    const { command, container, stdin, tty = false, signal } = options;
    const path = formatPath(kind, { namespace: ref.namespace, name: ref.name, subresource: "exec" });
    const query = {
      command,
      container,
      stdin: stdin === undefined ? undefined : "true",
      stdout: "true",
      stderr: tty ? undefined : "true",
      tty: tty ? "true" : undefined,
    };
    const channel = await openChannel(transport, { path, query, protocols: [V5, V4], signal });
    const stdout = createByteQueue();
    const stderr = createByteQueue();
    const context = { request: `GET ${path}`, subject: formatSubject(kind, ref) };

    let stdinFailure: { readonly reason: unknown } | undefined;
    let code: number | undefined;

    /** Errors of the connection after the exit code are ignored. */
    const unlessEnded = (error: unknown) => {
      if (code === undefined || signal?.aborted) throw error;
      return code;
    };
    const receive = async () => {
      for await (const message of channel.messages()) {
        const rest = message.subarray(1);
        // API servers begin each stream with an empty message.
        if (rest.length === 0) continue;
        if (message[0] === STDOUT) stdout.push(rest);
        else if (message[0] === STDERR) stderr.push(rest);
        else if (message[0] === ERROR) code = parseExitCode(rest, context);
      }
      if (code === undefined) throw stdinFailure === undefined ? createCutOffError(context) : stdinFailure.reason;
      return code;
    };
    const exit = (async () => {
      try {
        const exited = await receive().catch(unlessEnded);
        stdout.end();
        stderr.end();
        return exited;
      } catch (error) {
        stdout.fail(error);
        stderr.fail(error);
        throw error;
      } finally {
        channel.close();
      }
    })();
    // A caller that reads only the output gets the failure there.
    runInBackground(exit, ignoreError);
    if (stdin !== undefined) {
      const sent = sendStdin(channel, stdin, () => code !== undefined);
      runInBackground(sent, (reason) => {
        stdinFailure = { reason };
        channel.close();
      });
    }

    return {
      stdout,
      stderr,
      exit,
      resize({ columns, rows }) {
        // The terminal may be closed already.
        runInBackground(
          channel.send(encodeStreamFrame(RESIZE, Buffer.from(JSON.stringify({ Width: columns, Height: rows })))),
          ignoreError,
        );
      },
      close: () => channel.close(),
    };
  };
}

/** Rejects only if `stdin` does: a command that exits before it has read its input is no failure. */
async function sendStdin(channel: DuplexChannel, stdin: NonNullable<ExecOptions["stdin"]>, ended: () => boolean): Promise<void> {
  const isAccepted = (message: Uint8Array) =>
    channel.send(message).then(
      () => !ended(),
      () => false,
    );
  for await (const chunk of stdin) if (!(await isAccepted(encodeStreamFrame(STDIN, Buffer.from(chunk as Uint8Array))))) return;
  if (channel.protocol === V5) await isAccepted(Uint8Array.of(CLOSE, STDIN));
}

function encodeStreamFrame(stream: number, data: Uint8Array): Uint8Array {
  const out = new Uint8Array(data.length + 1);
  out[0] = stream;
  out.set(data, 1);
  return out;
}

function parseExitCode(bytes: Uint8Array, context: { readonly request: string; readonly subject: string }): number {
  const status = JSON.parse(Buffer.from(bytes).toString()) as Status;
  if (status.status === "Success") return 0;
  const exitCode = status.details?.causes?.find((cause) => cause.reason === "ExitCode")?.message;
  if (status.reason === "NonZeroExitCode" && exitCode !== undefined) return Number(exitCode);
  throw errorFromStatus(status.code ?? 500, status, context);
}

function createCutOffError(context: { readonly request: string; readonly subject: string }): ConnectionError {
  const message = `${context.subject}: the connection ended before the command; it may still run (${context.request})`;
  return new ConnectionError({ message, request: context.request }, true);
}

/** Bytes from a producer that pushes to one consumer that iterates. */
interface ByteQueue extends AsyncIterable<Uint8Array> {
  push(chunk: Uint8Array): void;
  end(): void;
  fail(error: unknown): void;
}

/** Returns an empty queue. */
function createByteQueue(): ByteQueue {
  const chunks: Uint8Array[] = [];
  let ending: { readonly error?: unknown } | undefined;
  let resumeReader: (() => void) | undefined;
  const notify = () => {
    resumeReader?.();
    resumeReader = undefined;
  };
  return {
    push(chunk) {
      chunks.push(chunk);
      notify();
    },
    end() {
      ending ??= {};
      notify();
    },
    fail(error) {
      ending ??= { error };
      notify();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const chunk = chunks.shift();
        if (chunk !== undefined) yield chunk;
        else if (ending === undefined) await new Promise<void>((resolve) => (resumeReader = resolve));
        else if ("error" in ending) throw ending.error;
        else return;
      }
    },
  };
}
