import { setMaxListeners } from "node:events";
import type { Transport, TransportRequest, TransportResponse } from "pintle/client";
import { ConnectionError } from "pintle/client";
import { setOwn } from "pintle/kinds";
import type { Clock } from "pintle/queue";
import { jsonText } from "./json-text.ts";
import type { AnswerBody, ApiAnswer, Query, WatchEvent, WatchStream } from "./request.ts";
import type { ApiServer } from "./server.ts";
import { ADMIN, type UserInfo } from "./user.ts";

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
export function inProcessTransport(server: ApiServer, { user = ADMIN, userAgent = "pintle", liveness }: InProcessOptions = {}): Transport {
  const closed = new AbortController();
  // Every watch that is open listens for the end.
  setMaxListeners(0, closed.signal);
  return {
    async request(request) {
      const signal = request.signal === undefined ? closed.signal : AbortSignal.any([request.signal, closed.signal]);
      if (signal.aborted) throw gone(request, signal);
      const answer = await server.handle({
        method: request.method,
        path: request.path,
        query: queryOf(request.query),
        headers: { "user-agent": userAgent, ...request.headers },
        user,
        body: request.body === undefined ? undefined : { json: copy(request.body) },
        signal,
        liveness,
      });
      if (signal.aborted) throw gone(request, signal);
      return response(answer, request, signal);
    },
    async close() {
      closed.abort();
    },
  };
}

function response(answer: ApiAnswer, request: TransportRequest, signal: AbortSignal): TransportResponse {
  const { status, headers, body } = answer;
  return {
    status,
    headers,
    async json() {
      if (body.type === "json") return body.value;
      const value = body.type === "bytes" ? parsed(body.bytes) : undefined;
      if (value === undefined) throw broken(request, "the answer is no JSON");
      return value;
    },
    lines: () => (body.type === "watch" ? watchLines(body.stream, signal) : once(body)),
    bytes: () => textChunks(body, signal),
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

async function* once(body: AnswerBody): AsyncIterable<unknown> {
  if (body.type === "json") yield body.value;
}

async function* textChunks(body: AnswerBody, signal: AbortSignal): AsyncIterable<Uint8Array> {
  if (body.type === "bytes") yield body.bytes;
  else if (body.type === "json") yield Buffer.from(jsonText(body.value));
  else if (body.type === "watch") for await (const event of watchEvents(body.stream, signal)) yield event.bytes();
}

async function* watchLines(stream: WatchStream, signal: AbortSignal): AsyncIterable<unknown> {
  for await (const { type, object } of watchEvents(stream, signal)) yield { type, object };
}

/** Events in the order they come, as fast as they are taken. */
async function* watchEvents(stream: WatchStream, signal: AbortSignal): AsyncIterable<WatchEvent> {
  let queue: WatchEvent[] = [];
  let ended = false;
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
      if (ended || signal.aborted) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    stop();
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
  const object: Record<string, unknown> = {};
  for (const [key, part] of Object.entries(value)) if (part !== undefined) setOwn(object, key, copy(part));
  return object;
}

function gone(request: TransportRequest, signal: AbortSignal): Error {
  if (request.signal?.aborted) return signal.reason as Error;
  return broken(request, "the transport to the embedded cluster was closed: make a new one");
}

function broken({ method, path }: TransportRequest, why: string): ConnectionError {
  return new ConnectionError({ message: `${method} ${path}: ${why}`, request: `${method} ${path}` }, false);
}
