import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Clock } from "../../clock/index.ts";
import { runInBackground } from "../../errors/index.ts";
import { parseTraceparent, type SpanContext, traceSpan } from "../../telemetry/index.ts";
import type { CertificateKeyPair } from "../../tls/index.ts";
import type { ReviewOutcome } from "../review/parse-review.ts";

/** The handler of one path. */
export interface ReviewRoute {
  handle(bytes: Uint8Array, signal: () => AbortSignal): ReviewOutcome | Promise<ReviewOutcome>;
  /** Returns the response to a request that is rejected before its body was read; `start` is the part that was read. */
  reject(code: number, message: string, start: Uint8Array): ReviewOutcome;
}

/** Receives the events of the server. */
export interface ReviewServerObserver {
  started(path: string): void;
  finished(path: string, outcome: ReviewOutcome, milliseconds: number, span: SpanContext | undefined): void;
}

/** Options of `startReviewServer`. */
export interface ReviewServerOptions {
  readonly host: string | undefined;
  readonly port: number;
  readonly pair: CertificateKeyPair;
  readonly routes: ReadonlyMap<string, ReviewRoute>;
  readonly clock: Clock;
  readonly observer: ReviewServerObserver;
  /** Called with an error of the server after the start. */
  onConnectionError(error: Error): void;
}

/** A running HTTPS server for reviews. */
export interface ReviewServer {
  readonly port: number;
  /** Uses another certificate for new connections. */
  replaceCertificate(pair: CertificateKeyPair): void;
  /** Stops accepting connections and resolves when the active requests have finished, after `grace` milliseconds at the latest. */
  close(grace: number): Promise<void>;
}

/** The limit of controller-runtime: more than two objects of etcd's maximum size, the new and the old one. */
const MAX_BODY_BYTES = 7 * 1024 * 1024;
/** Longer than the 90 s of API servers: if the webhook server closed an idle connection first, a request could be lost. */
const KEEP_ALIVE_TIMEOUT = 120_000;
const HEADERS_TIMEOUT = 10_000;
/** The longest timeout that an API server allows for a webhook. */
const REQUEST_TIMEOUT = 30_000;
const DRAIN_DELAY = 200;
const EMPTY_BODY = Buffer.alloc(0);

/** Starts the HTTPS server for reviews. It serves HTTP/1.1, the protocol in which API servers call webhooks. */
export async function startReviewServer({
  host,
  port,
  pair,
  routes,
  clock,
  observer,
  onConnectionError,
}: ReviewServerOptions): Promise<ReviewServer> {
  let draining = false;
  let activeRequests = 0;
  let onIdle = () => {};
  const sockets = new Set<Socket>();
  const send = (response: ServerResponse, status: number, body: string, hangUp: boolean) => {
    response.writeHead(status, {
      "content-type": status === 200 ? "application/json" : "text/plain; charset=utf-8",
      "content-length": Buffer.byteLength(body),
      "x-content-type-options": "nosniff",
      ...(hangUp || draining ? { connection: "close" } : {}),
    });
    // The rest of a body that is too large is not read.
    response.end(body, () => hangUp && response.socket?.destroySoon());
  };
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const url = request.url ?? "/";
    const query = url.indexOf("?");
    const path = query < 0 ? url : url.slice(0, query);
    const route = routes.get(path);
    if (route === undefined) return send(response, 404, "no webhook at this path\n", true);
    const startedAt = clock.monotonic();
    observer.started(path);
    let outcome: ReviewOutcome | undefined;
    let span: SpanContext | undefined;
    try {
      const requestProblem = checkRequest(request);
      const body = requestProblem === undefined ? await readBody(request) : { bytes: EMPTY_BODY, over: false };
      const problem = requestProblem ?? (body.over ? TOO_LARGE : undefined);
      outcome =
        problem === undefined
          ? await handleInSpan(path, request, (opened) => {
              span = opened;
              return route.handle(body.bytes, requestSignal(response, query < 0 ? "" : url.slice(query), clock));
            })
          : route.reject(problem.code, problem.message, body.bytes);
      send(response, 200, outcome.body, problem !== undefined);
    } finally {
      observer.finished(path, outcome ?? { body: "", code: 499 }, clock.monotonic() - startedAt, span);
    }
  };
  const options = {
    ...tlsOptions(pair),
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT,
    headersTimeout: HEADERS_TIMEOUT,
    requestTimeout: REQUEST_TIMEOUT,
    ALPNProtocols: ["http/1.1"],
  };
  const server = createServer(options, (request, response) => {
    activeRequests++;
    response.once("close", () => {
      if (--activeRequests === 0) onIdle();
    });
    // The client closed the connection during the request.
    runInBackground(respond(request, response), () => response.destroy());
  });
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      // An error event without a listener would end the process.
      server.off("error", reject).on("error", onConnectionError);
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    replaceCertificate: (next) => server.setSecureContext(tlsOptions(next)),
    close: (grace) =>
      new Promise((resolve) => {
        draining = true;
        const hangUp = () => {
          for (const socket of sockets) socket.destroy();
        };
        const late = clock.setTimeout(hangUp, grace);
        // API servers keep idle connections open; a request that is in flight on one of them still gets a response.
        const linger = clock.setTimeout(
          () => {
            onIdle = hangUp;
            if (activeRequests === 0) hangUp();
          },
          Math.min(DRAIN_DELAY, grace),
        );
        server.close(() => {
          for (const timer of [late, linger]) clock.clearTimeout(timer);
          resolve();
        });
      }),
  };
}

const tlsOptions = ({ certificate, key }: CertificateKeyPair) => ({ cert: certificate, key, minVersion: "TLSv1.2" }) as const;

interface RequestProblem {
  readonly code: number;
  readonly message: string;
}
const TOO_LARGE: RequestProblem = { code: 413, message: `the body is larger than ${MAX_BODY_BYTES} bytes` };

/** Returns the problem of a request that is visible before its body is read. */
function checkRequest({ method, headers }: IncomingMessage): RequestProblem | undefined {
  if (method !== "POST") return { code: 405, message: `a review must be sent with POST, not ${method}` };
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  if (type.trim().toLowerCase() !== "application/json")
    return { code: 415, message: `the content type is ${JSON.stringify(type.trim())}: send application/json` };
  if ((headers["content-encoding"] ?? "identity") !== "identity")
    return { code: 415, message: "the body is compressed: send it uncompressed" };
  return Number(headers["content-length"] ?? 0) > MAX_BODY_BYTES ? TOO_LARGE : undefined;
}

/** Reads the body by events; an async iterator over the request costs as much as the rest of the request. */
function readBody(request: IncomingMessage): Promise<{ readonly bytes: Buffer; readonly over: boolean }> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const take = (chunk: Buffer) => {
      length += chunk.length;
      if (length <= MAX_BODY_BYTES) return void chunks.push(chunk);
      request.off("data", take).pause();
      resolve({ bytes: chunks[0] ?? chunk, over: true });
    };
    request.on("data", take);
    request.once("end", () => resolve({ bytes: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks), over: false }));
    request.once("error", reject);
    request.once("close", () => reject(new Error("the request was aborted")));
  });
}

/**
 * Returns a function that creates the signal of a request on its first call. The signal aborts when the connection closes, or when the
 * timeout of the API server (`?timeout=10s`) has passed.
 */
function requestSignal(response: ServerResponse, query: string, clock: Clock): () => AbortSignal {
  let created: AbortController | undefined;
  return () => {
    if (created !== undefined) return created.signal;
    const controller = new AbortController();
    created = controller;
    const [, seconds] = /[?&]timeout=(\d+)s\b/.exec(query) ?? [];
    const late =
      seconds === undefined
        ? undefined
        : clock.setTimeout(
            () => controller.abort(new Error(`the API server's timeout of ${seconds} s has passed`)),
            Number(seconds) * 1000,
          );
    response.once("close", () => {
      clock.clearTimeout(late);
      if (!response.writableEnded) controller.abort(new Error("the API server closed the connection"));
    });
    return controller.signal;
  };
}

/** Handles a review in a span of the trace of the request that is reviewed. */
function handleInSpan(
  path: string,
  { headers }: IncomingMessage,
  handle: (span: SpanContext | undefined) => ReviewOutcome | Promise<ReviewOutcome>,
): Promise<ReviewOutcome> {
  const options = { kind: "server", parent: parseTraceparent(headers["traceparent"]), attributes: { "url.path": path } } as const;
  return traceSpan(`review ${path}`, options, async (span) => handle(span));
}
