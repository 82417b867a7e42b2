import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Clock } from "../queue/index.ts";
import type { KeyPair } from "../tls/index.ts";
import type { Answered } from "./review.ts";

/** What is at one path. */
export interface Route {
  answer(bytes: Uint8Array, signal: () => AbortSignal): Answered | Promise<Answered>;
  /** For a request that is refused before all of it was read; `start` is what was. */
  unreadable(code: number, message: string, start: Uint8Array): Answered;
}

export interface ServerObserver {
  started(path: string): void;
  finished(path: string, answered: Answered, milliseconds: number): void;
}

export interface ServerOptions {
  readonly host: string | undefined;
  readonly port: number;
  readonly pair: KeyPair;
  readonly routes: ReadonlyMap<string, Route>;
  readonly clock: Clock;
  readonly observer: ServerObserver;
  /** A connection could not even be taken. */
  failed(error: Error): void;
}

export interface WebhookServer {
  readonly port: number;
  /** New connections get this certificate; those that are open keep theirs. */
  replace(pair: KeyPair): void;
  /** Takes no new connections, answers what was asked, and is gone at the latest after so many milliseconds. */
  close(grace: number): Promise<void>;
}

/** As much as controller-runtime takes: twice what etcd stores, for the object and what it was before. */
const MOST_BYTES = 7 * 1024 * 1024;
/** API servers keep idle connections for 90 s. Whoever is asked must not be the one who hangs up, or a question may be lost. */
const IDLE = 120_000;
const HEADERS = 10_000;
/** The longest that an API server waits. */
const REQUEST = 30_000;
const LINGER = 200;
const NOTHING = Buffer.alloc(0);

/** HTTPS for reviews. HTTP/1.1, as API servers ask webhooks. */
export async function webhookServer({ host, port, pair, routes, clock, observer, failed }: ServerOptions): Promise<WebhookServer> {
  let draining = false;
  let running = 0;
  let idle = () => {};
  const sockets = new Set<Socket>();
  const send = (response: ServerResponse, status: number, body: string, hangUp: boolean) => {
    response.writeHead(status, {
      "content-type": status === 200 ? "application/json" : "text/plain; charset=utf-8",
      "content-length": Buffer.byteLength(body),
      "x-content-type-options": "nosniff",
      ...(hangUp || draining ? { connection: "close" } : {}),
    });
    // What was not read of a body that is too large is never read.
    response.end(body, () => hangUp && response.socket?.destroySoon());
  };
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const url = request.url ?? "/";
    const query = url.indexOf("?");
    const path = query < 0 ? url : url.slice(0, query);
    const route = routes.get(path);
    if (route === undefined) return send(response, 404, "no webhook is served here\n", true);
    const began = clock.monotonic();
    observer.started(path);
    let answered: Answered | undefined;
    try {
      const refused = refusal(request);
      const body = refused === undefined ? await read(request) : { bytes: NOTHING, over: false };
      const problem = refused ?? (body.over ? TOO_LARGE : undefined);
      answered =
        problem === undefined
          ? await route.answer(body.bytes, deadline(response, query < 0 ? "" : url.slice(query), clock))
          : route.unreadable(problem.code, problem.message, body.bytes);
      send(response, 200, answered.body, problem !== undefined);
    } finally {
      observer.finished(path, answered ?? { body: "", code: 499 }, clock.monotonic() - began);
    }
  };
  const options = {
    ...secured(pair),
    keepAliveTimeout: IDLE,
    headersTimeout: HEADERS,
    requestTimeout: REQUEST,
    ALPNProtocols: ["http/1.1"],
  };
  const server = createServer(options, (request, response) => {
    running++;
    response.once("close", () => {
      if (--running === 0) idle();
    });
    // Whoever hangs up in the middle of a question gets no answer.
    respond(request, response).catch(() => response.destroy());
  });
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      // Without anybody who listens, an error would end the process.
      server.off("error", reject).on("error", failed);
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    replace: (next) => server.setSecureContext(secured(next)),
    close: (grace) =>
      new Promise((resolve) => {
        draining = true;
        const hangUp = () => {
          for (const socket of sockets) socket.destroy();
        };
        const late = clock.setTimeout(hangUp, grace);
        // API servers keep connections open without asking anything; what is on its way on one of them is still answered.
        const linger = clock.setTimeout(
          () => {
            idle = hangUp;
            if (running === 0) hangUp();
          },
          Math.min(LINGER, grace),
        );
        server.close(() => {
          for (const timer of [late, linger]) clock.clearTimeout(timer);
          resolve();
        });
      }),
  };
}

const secured = ({ certificate, key }: KeyPair) => ({ cert: certificate, key, minVersion: "TLSv1.2" }) as const;

interface Problem {
  readonly code: number;
  readonly message: string;
}
const TOO_LARGE: Problem = { code: 413, message: `the body is larger than ${MOST_BYTES} bytes` };

/** What is wrong with a request before its body is read. */
function refusal({ method, headers }: IncomingMessage): Problem | undefined {
  if (method !== "POST") return { code: 405, message: `a review is sent with POST, not ${method}` };
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  if (type.trim().toLowerCase() !== "application/json")
    return { code: 415, message: `the content type is ${JSON.stringify(type.trim())}: send application/json` };
  if ((headers["content-encoding"] ?? "identity") !== "identity") return { code: 415, message: "the body is compressed: send it as it is" };
  return Number(headers["content-length"] ?? 0) > MOST_BYTES ? TOO_LARGE : undefined;
}

/** By events: an iterator over the request costs as much as everything else together. */
function read(request: IncomingMessage): Promise<{ readonly bytes: Buffer; readonly over: boolean }> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const take = (chunk: Buffer) => {
      length += chunk.length;
      if (length <= MOST_BYTES) return void chunks.push(chunk);
      request.off("data", take).pause();
      resolve({ bytes: chunks[0] ?? chunk, over: true });
    };
    request.on("data", take);
    request.once("end", () => resolve({ bytes: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks), over: false }));
    request.once("error", reject);
    request.once("close", () => reject(new Error("the question ended half way")));
  });
}

/** Aborts when nobody waits any more: the connection is gone, or the time is over that the API server gave in `?timeout=10s`. */
function deadline(response: ServerResponse, query: string, clock: Clock): () => AbortSignal {
  let made: AbortController | undefined;
  return () => {
    if (made !== undefined) return made.signal;
    const controller = new AbortController();
    made = controller;
    const [, seconds] = /[?&]timeout=(\d+)s\b/.exec(query) ?? [];
    const late =
      seconds === undefined
        ? undefined
        : clock.setTimeout(() => controller.abort(new Error(`the API server waits for ${seconds} s only`)), Number(seconds) * 1000);
    response.once("close", () => {
      clock.clearTimeout(late);
      if (!response.writableEnded) controller.abort(new Error("the API server no longer waits"));
    });
    return controller.signal;
  };
}
