import type { Transport, TransportRequest, TransportResponse } from "pintle/client";
import { ConnectionError, failureOf } from "pintle/client";
import { setOwn } from "pintle/kinds";
import type { Clock } from "pintle/queue";
import { type CallSignal, callSignals } from "./call-signals.ts";
import { channelPair } from "./channel-pair.ts";
import { encode } from "./http/text.ts";
import { type AnswerBody, type ApiAnswer, header, type Query, type WatchEvent, type WatchStream } from "./request.ts";
import type { ApiServer } from "./server.ts";
import { ADMIN, type UserInfo } from "./user.ts";

/** How a request asks to become a WebSocket. */
const UPGRADE = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13", "sec-websocket-key": "" };

export interface InProcessOptions {
  /** As whom requests are made; default: an administrator. */
  readonly user?: UserInfo | undefined;
  readonly userAgent?: string | undefined;
  /** By which clock watches live; default: the server's. A stream is alive in real time, also where time stands still. */
  readonly liveness?: Clock | undefined;
}

/**
 * A transport that enters the pipeline right behind HTTP: same checks, same errors, no bytes. Bodies are copied on the
 * way in and frozen on the way out, so neither side can change what the other holds.
 */
export function inProcessTransport(
  server: Pick<ApiServer, "handle">,
  { user = ADMIN, userAgent = "pintle", liveness }: InProcessOptions = {},
): Transport {
  const calls = callSignals();
  return {
    async request(request) {
      const call = calls.begin(request.signal);
      if (call.aborted) throw gone(request, call.signal);
      const answer = await server.handle({
        method: request.method,
        path: request.path,
        query: queryOf(request.query),
        headers: { "user-agent": userAgent, ...request.headers },
        user,
        body: request.body === undefined ? undefined : { json: copy(request.body) },
        signal: () => call.signal,
        liveness,
      });
      const { type } = answer.body;
      if (call.aborted || (type !== "watch" && type !== "stream")) call.over();
      if (call.aborted) throw gone(request, call.signal);
      if (answer.body.type === "cut" && answer.body.of === undefined) throw cut(request);
      return response(answer, request, call);
    },
    async open({ path, query, protocols, signal: asked }) {
      const request: TransportRequest = { method: "GET", path };
      const call = calls.begin(asked);
      const { signal } = call;
      const headers = { ...UPGRADE, "user-agent": userAgent, "sec-websocket-protocol": protocols.join(", ") };
      const answer = await server.handle({
        method: "GET",
        path,
        query: queryOf(query),
        headers,
        user,
        body: undefined,
        signal: () => signal,
        liveness,
      });
      if (signal.aborted) throw gone(request, signal);
      if (answer.body.type === "cut") throw cut(request);
      if (answer.body.type === "wire") throw broken(request, "this leads to another process: connect over HTTP");
      if (answer.body.type !== "messages") throw await failureOf(response(answer, request, call), { request: `GET ${path}` });
      const [ours, theirs] = channelPair(header(answer.headers, "sec-websocket-protocol") ?? "", `GET ${path}`, signal);
      void answer.body.serve(theirs);
      return ours;
    },
    async close() {
      calls.close();
    },
  };
}

function response(answer: ApiAnswer, request: TransportRequest, call: CallSignal): TransportResponse {
  const { status, headers, body } = answer;
  return {
    status,
    headers,
    async json() {
      if (body.type === "cut") throw cut(request);
      if (body.type === "json") return body.value;
      const value = body.type === "bytes" ? parsed(body.bytes) : undefined;
      if (value === undefined) throw broken(request, "the answer is no JSON");
      return value;
    },
    lines: () => (body.type === "watch" ? watchLines(body.stream, request, call) : once(body, request)),
    bytes: () => textChunks(body, request, call),
  };
}

/** A page that is JSON in a form of its own. */
function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return undefined;
  }
}

async function* once(body: AnswerBody, request: TransportRequest): AsyncIterable<unknown> {
  if (body.type === "cut") throw cut(request);
  if (body.type === "json") yield body.value;
}

async function* textChunks(body: AnswerBody, request: TransportRequest, call: CallSignal): AsyncIterable<Uint8Array> {
  if (body.type === "bytes") yield body.bytes;
  else if (body.type === "stream") yield* whole(body.chunks, call);
  else if (body.type === "json") yield await encode(body, false);
  else if (body.type === "watch") for await (const event of watchEvents(body.stream, request, call)) yield event.bytes();
  else if (body.type === "cut") throw cut(request);
}

async function* whole(chunks: AsyncIterable<Uint8Array>, call: CallSignal): AsyncIterable<Uint8Array> {
  try {
    yield* chunks;
  } finally {
    call.over();
  }
}

async function* watchLines(stream: WatchStream, request: TransportRequest, call: CallSignal): AsyncIterable<unknown> {
  for await (const { type, object } of watchEvents(stream, request, call)) yield { type, object };
}

/** Events in the order they come, as fast as they are taken. */
async function* watchEvents(stream: WatchStream, request: TransportRequest, call: CallSignal): AsyncIterable<WatchEvent> {
  const { signal } = call;
  let queue: WatchEvent[] = [];
  let ended = false;
  let broken = false;
  let wake: (() => void) | undefined;
  const stop = stream.open({
    event(event) {
      queue.push(event);
      wake?.();
    },
    end() {
      ended = true;
      wake?.();
    },
    cut() {
      broken = true;
      wake?.();
    },
  });
  const abort = () => {
    ended = true;
    wake?.();
  };
  signal.addEventListener("abort", abort);
  try {
    for (;;) {
      const batch = queue;
      queue = [];
      yield* batch;
      if (queue.length > 0) continue;
      if (broken) throw cut(request);
      if (ended || signal.aborted) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    stop();
    call.over();
    signal.removeEventListener("abort", abort);
  }
}

function queryOf(query: TransportRequest["query"]): Query {
  const map = new Map<string, readonly string[]>();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) map.set(name, typeof value === "string" ? [value] : value);
  }
  return map;
}

/** What JSON would carry over a wire: no undefined fields, nothing shared. */
function copy(value: unknown): unknown {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((item) => copy(item) ?? null);
  if ("toJSON" in value && typeof value.toJSON === "function") return copy(value.toJSON());
  const fields = value as Readonly<Record<string, unknown>>;
  const object: Record<string, unknown> = {};
  // Half of what Object.entries costs, and bodies are copied all day.
  for (const key in fields) {
    const part = fields[key];
    if (part !== undefined && Object.hasOwn(fields, key)) setOwn(object, key, copy(part));
  }
  return object;
}

function gone(request: TransportRequest, signal: AbortSignal): Error {
  if (request.signal?.aborted) return signal.reason as Error;
  return broken(request, "the transport to the embedded cluster was closed: make a new one");
}

function broken({ method, path }: TransportRequest, why: string, reached = false): ConnectionError {
  return new ConnectionError({ message: `${method} ${path}: ${why}`, request: `${method} ${path}` }, reached);
}

function cut(request: TransportRequest): ConnectionError {
  return broken(request, "the connection to the embedded cluster broke", true);
}
