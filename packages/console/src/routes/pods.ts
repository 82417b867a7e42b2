import { createServer, type Server, type Socket } from "node:net";
import { StringDecoder } from "node:string_decoder";
import { RequestError } from "pintle/client";
import { ignoreError, runInBackground } from "pintle/internal/errors";
import { Pod } from "pintle/kinds/core/v1";
import type { ExecRequest, ExecResult, LogLine, PortForward, PortForwardList, PortForwardRequest } from "../protocol.ts";
import { ConsoleFailure, invalid, notFound } from "../source/index.ts";
import { requireClient } from "./editing.ts";
import { requestOf } from "./lab.ts";
import { numberOf, type RouteContext } from "./route-context.ts";
import { splitWords } from "./split-words.ts";

const EXEC_TIMEOUT_MS = 30_000;
const MAX_OUTPUT = 256 * 1024;
const MAX_FORWARDS = 50;

/** Runs a command of one line in a container. */
export async function execCommand(context: RouteContext): Promise<ExecResult> {
  const client = requireClient(context);
  const { namespace, pod, container, command } = requestOf<ExecRequest>(context.body);
  if (typeof namespace !== "string" || typeof pod !== "string" || typeof command !== "string")
    throw invalid("namespace, pod and command are needed.");
  if (container !== undefined && typeof container !== "string") throw invalid("container must be a name.");
  const words = splitWords(command);
  if (words.length === 0) throw invalid("The command is empty.");
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(EXEC_TIMEOUT_MS)]);
  try {
    const session = await client.exec(Pod, { namespace, name: pod }, { command: words, container, signal });
    let left = MAX_OUTPUT;
    let truncated = false;
    const read = async (stream: AsyncIterable<Uint8Array>) => {
      const decoder = new StringDecoder("utf8");
      let text = "";
      for await (const chunk of stream) {
        const kept = Buffer.from(chunk.subarray(0, Math.max(0, left)));
        truncated ||= kept.length < chunk.length;
        left -= chunk.length;
        text += decoder.write(kept);
        if (left <= 0) break;
      }
      return text + decoder.end();
    };
    const [stdout, stderr] = await Promise.all([read(session.stdout), read(session.stderr)]);
    if (truncated) {
      session.close();
      runInBackground(session.exit, ignoreError);
      return { stdout, stderr, exitCode: 0, truncated };
    }
    return { stdout, stderr, exitCode: await session.exit, truncated };
  } catch (error) {
    throw toFailure(
      error,
      signal.aborted && !context.signal.aborted ? `The command did not end within ${EXEC_TIMEOUT_MS / 1000} s.` : undefined,
    );
  }
}

function toFailure(error: unknown, message?: string): unknown {
  if (message !== undefined) return new ConsoleFailure({ code: 504, reason: "Internal", message });
  if (!(error instanceof RequestError)) return error;
  const code = error.statusCode === 0 ? 502 : error.statusCode;
  const reason = code === 404 ? "NotFound" : code === 403 ? "Forbidden" : code < 500 ? "Invalid" : "Internal";
  return new ConsoleFailure({ code, reason, message: error.message });
}

/** Follows the output of a container, in batches of lines, until it or the reader ends. */
export async function* followLogs(context: RouteContext): AsyncGenerator<readonly LogLine[]> {
  const client = requireClient(context);
  const { namespace = "", name = "" } = context.params;
  const { query, signal } = context;
  const options = {
    container: query.get("container") || undefined,
    previous: query.get("previous") === "true",
    tailLines: numberOf(query, "tail") ?? 500,
    follow: query.get("previous") !== "true",
    timestamps: true,
    signal,
  };
  const decoder = new StringDecoder("utf8");
  let rest = "";
  try {
    for await (const chunk of client.logs(Pod, { namespace, name }, options)) {
      const lines = (rest + decoder.write(Buffer.from(chunk))).split("\n");
      rest = lines.pop() ?? "";
      if (lines.length > 0) yield lines.map(toLine);
    }
  } catch (error) {
    throw toFailure(error);
  }
  if (rest !== "") yield [toLine(rest)];
}

function toLine(text: string): LogLine {
  const [, time, line] = /^(\d{4}-\d\d-\d\dT[^\s]{1,40}) ?(.*)$/s.exec(text) ?? [];
  return time === undefined ? { text } : { time, text: line ?? "" };
}

/** Ports of pods at ports of this machine's loopback interface. */
export interface PortForwards extends AsyncDisposable {
  list(): PortForwardList;
  open(context: RouteContext): Promise<PortForward>;
  close(context: RouteContext): Promise<undefined>;
}

export function createPortForwards(): PortForwards {
  const open = new Map<
    string,
    { readonly server: Server; readonly sockets: Set<Socket>; readonly about: Omit<PortForward, "connections"> }
  >();
  let count = 0;
  const describe = ({
    about,
    sockets,
  }: {
    readonly about: Omit<PortForward, "connections">;
    readonly sockets: ReadonlySet<Socket>;
  }): PortForward => ({ ...about, connections: sockets.size });
  const end = async (id: string) => {
    const found = open.get(id);
    if (found === undefined) return false;
    open.delete(id);
    for (const socket of found.sockets) socket.destroy();
    await new Promise<void>((resolve) => found.server.close(() => resolve()));
    return true;
  };
  return {
    list: () => ({ forwards: [...open.values()].map(describe) }),
    async open(context) {
      const client = requireClient(context);
      const { namespace, pod, port } = requestOf<PortForwardRequest>(context.body);
      if (
        typeof namespace !== "string" ||
        typeof pod !== "string" ||
        !Number.isInteger(port) ||
        !((port as number) > 0 && (port as number) < 65_536)
      )
        throw invalid("namespace, pod and port are needed.");
      if (open.size >= MAX_FORWARDS) throw invalid(`More than ${MAX_FORWARDS} ports are forwarded: close one.`);
      if ((await client.find(Pod, { namespace, name: pod }, { signal: context.signal })) === undefined)
        throw notFound(`There is no pod ${namespace}/${pod}.`);
      const sockets = new Set<Socket>();
      const server = createServer((socket) => {
        sockets.add(socket);
        socket.on("close", () => sockets.delete(socket)).on("error", () => socket.destroy());
        const connect = async () => {
          const remote = await client.portForward(Pod, { namespace, name: pod }, port as number);
          remote.on("error", () => socket.destroy()).on("close", () => socket.destroy());
          socket.on("close", () => remote.destroy());
          socket.pipe(remote).pipe(socket);
        };
        runInBackground(connect(), () => socket.destroy());
      });
      await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
      const local = (server.address() as { readonly port: number }).port;
      const id = String(++count);
      const forward = { server, sockets, about: { id, namespace, pod, port: port as number, url: `http://127.0.0.1:${local}` } };
      open.set(id, forward);
      return describe(forward);
    },
    async close({ params }) {
      if (!(await end(params["id"] ?? ""))) throw notFound(`There is no forwarded port ${params["id"]}.`);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...open.keys()].map(end));
    },
  };
}
