import type { KindFacts } from "../kinds/index.ts";
import { byteQueue } from "./byte-queue.ts";
import type { PlainRef } from "./core.ts";
import { ConnectionError } from "./errors.ts";
import { failure } from "./failure.ts";
import { openChannel } from "./open-channel.ts";
import { pathOf, subjectOf } from "./path.ts";
import type { Exec, ExecOptions } from "./pod.ts";
import type { Status } from "./status.ts";
import type { Channel, Transport } from "./transport.ts";

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const ERROR = 3;
const RESIZE = 4;
/** v5 only: the next byte names the stream that has ended. */
const CLOSE = 255;

const V5 = "v5.channel.k8s.io";
const V4 = "v4.channel.k8s.io";

/** Runs a command in a container over a WebSocket: v5.channel.k8s.io, or v4 where the server has no v5 (before 1.30; standard input cannot be ended there). */
export function exec(transport: Transport) {
  return async (kind: KindFacts, ref: PlainRef, options: ExecOptions): Promise<Exec> => {
    const { command, container, stdin, tty = false, signal } = options;
    const path = pathOf(kind, { namespace: ref.namespace, name: ref.name, subresource: "exec" });
    const query = {
      command,
      container,
      stdin: stdin === undefined ? undefined : "true",
      stdout: "true",
      stderr: tty ? undefined : "true",
      tty: tty ? "true" : undefined,
    };
    const channel = await openChannel(transport, { path, query, protocols: [V5, V4], signal });
    const stdout = byteQueue();
    const stderr = byteQueue();
    const about = { request: `GET ${path}`, subject: subjectOf(kind, ref) };

    let unfed: { readonly reason: unknown } | undefined;
    let code: number | undefined;

    /** Whatever happens to the connection after the exit code has come is of no interest. */
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
        else if (message[0] === ERROR) code = exitCode(rest, about);
      }
      if (code === undefined) throw unfed === undefined ? cutOff(about) : unfed.reason;
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
    // Whoever only reads the output learns of a failure there.
    exit.catch(() => {});
    if (stdin !== undefined) {
      feed(channel, stdin, () => code !== undefined).catch((reason: unknown) => {
        unfed = { reason };
        channel.close();
      });
    }

    return {
      stdout,
      stderr,
      exit,
      resize({ columns, rows }) {
        // Nobody minds the size of a terminal that is gone.
        channel.send(frame(RESIZE, Buffer.from(JSON.stringify({ Width: columns, Height: rows })))).catch(() => {});
      },
      close: () => channel.close(),
    };
  };
}

/** Rejects only when `stdin` does: a command that exits before it has read everything is no failure. */
async function feed(channel: Channel, stdin: NonNullable<ExecOptions["stdin"]>, ended: () => boolean): Promise<void> {
  const taken = (message: Uint8Array) =>
    channel.send(message).then(
      () => !ended(),
      () => false,
    );
  for await (const chunk of stdin) if (!(await taken(frame(STDIN, Buffer.from(chunk as Uint8Array))))) return;
  if (channel.protocol === V5) await taken(Uint8Array.of(CLOSE, STDIN));
}

function frame(stream: number, data: Uint8Array): Uint8Array {
  const out = new Uint8Array(data.length + 1);
  out[0] = stream;
  out.set(data, 1);
  return out;
}

function exitCode(bytes: Uint8Array, about: { readonly request: string; readonly subject: string }): number {
  const status = JSON.parse(Buffer.from(bytes).toString()) as Status;
  if (status.status === "Success") return 0;
  const said = status.details?.causes?.find((cause) => cause.reason === "ExitCode")?.message;
  if (status.reason === "NonZeroExitCode" && said !== undefined) return Number(said);
  throw failure(status.code ?? 500, status, about);
}

function cutOff(about: { readonly request: string; readonly subject: string }): ConnectionError {
  const message = `${about.subject}: the connection ended before the command did; whether it still runs is unknown (${about.request})`;
  return new ConnectionError({ message, request: about.request }, true);
}
