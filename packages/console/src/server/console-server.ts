import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { brotliDecompressSync } from "node:zlib";
import { backgroundClock, type Clock } from "pintle/internal/clock";
import { PintleError, runInBackground } from "pintle/internal/errors";
import { isJsonObject } from "pintle/internal/json";
import { createFactIndex } from "../facts/index.ts";
import type { ApiFailure } from "../protocol.ts";
import { createView, type View } from "../routes/index.ts";
import { type ConsoleSource, notFound } from "../source/index.ts";
import { createAccessKey } from "./access-key.ts";
import { createApiHandler, readBody, sendFailure } from "./api-handler.ts";
import { createConsoleGuard } from "./console-guard.ts";
import { SECURITY_HEADERS } from "./headers.ts";
import { createLogins } from "./login.ts";

/** The files of the page, as `files/index.ts` loads them. */
export type ServedFiles = ReadonlyMap<string, { readonly contentType: string; readonly brotli: Uint8Array; readonly immutable: boolean }>;

/** Answers requests below "/api" in place of a source: from a console elsewhere. */
export type ConsoleForward = (request: IncomingMessage, response: ServerResponse, signal: AbortSignal) => Promise<void>;

export interface ConsoleServerOptions {
  readonly source: ConsoleSource | ConsoleForward;
  /** Loads the page; called with the first request for one of its files. */
  readonly loadFiles: () => Promise<ServedFiles>;
  readonly version: string;
  /** Default: one that is free. */
  readonly port?: number | undefined;
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
  readonly random?: ((bytes: number) => Buffer) | undefined;
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** A console that listens on this machine's loopback interface. */
export interface ConsoleServer extends AsyncDisposable {
  /** The URL with the key in its fragment, which a browser never sends. */
  readonly url: string;
  readonly port: number;
}

/** Starts the console of a source. Only a browser that has the key, or a program that has it, gets data. */
export async function startConsoleServer(options: ConsoleServerOptions): Promise<ConsoleServer> {
  const { source, loadFiles, version, clock = backgroundClock, random, onError = () => {} } = options;
  const key = createAccessKey(random);
  const views = createViews(source);
  const closing = new AbortController();
  const api = createApiHandler({ version, clock, onError });
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        new PintleError(
          "PINTLE7141",
          `the console cannot listen on port ${options.port ?? 0}: ${error.code === "EADDRINUSE" ? "it is in use" : error.message}`,
        ),
      ),
    );
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as { readonly port: number };
  const checkRequest = createConsoleGuard(port);
  const logins = createLogins(key, port, random);

  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
    const refusal = checkRequest(request);
    if (refusal !== undefined) return sendFailure(response, { code: refusal.status, reason: "Forbidden", message: `${refusal.message}.` });
    const url = new URL(request.url ?? "/", "http://localhost");
    if (!url.pathname.startsWith("/api/") && url.pathname !== "/api") return sendFile(request, response, url, await loadFiles());
    if (url.pathname === "/api/login" && request.method === "POST") return login(request, response);
    if (!logins.isLoggedIn(request.headers.cookie))
      return sendFailure(response, {
        code: 401,
        reason: "Unauthorized",
        message: "Open the URL that pintle printed: it has the key of this session.",
      });
    if (typeof source === "function") {
      if (request.method !== "GET") return sendFailure(response, notFound("The console of a running operator only reads.").failure);
      const ended = new AbortController();
      response.on("close", () => ended.abort());
      return source(request, response, AbortSignal.any([ended.signal, closing.signal]));
    }
    const view = views.find(url.searchParams.get("fork") ?? "");
    if (view === undefined) return sendFailure(response, notFound(`There is no fork ${url.searchParams.get("fork")}.`).failure);
    await api.handle(view, request, response, url);
  };
  const login = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await readBody(request).catch(() => undefined);
    const cookie = isJsonObject(body as never) ? logins.login(String((body as { readonly key?: unknown }).key ?? "")) : undefined;
    if (cookie === undefined)
      return sendFailure(response, { code: 401, reason: "Unauthorized", message: "The key is wrong: open the URL that pintle printed." });
    response.writeHead(204, { "set-cookie": cookie, "cache-control": "no-store" }).end();
  };
  server.on("request", (request, response) => {
    runInBackground(respond(request, response), (error) => {
      onError(error);
      if (response.headersSent) response.destroy();
      else sendFailure(response, { code: 500, reason: "Internal", message: "The console has failed to answer." });
    });
  });
  // A browser that closes a connection early is no failure.
  server.on("clientError", (_, socket) => socket.destroy());
  return {
    port,
    url: `http://127.0.0.1:${port}/#key=${key.text}`,
    async [Symbol.asyncDispose]() {
      closing.abort();
      await api[Symbol.asyncDispose]();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      views[Symbol.dispose]();
    },
  };
}

/** The views of a source and of its forks. */
function createViews(source: ConsoleSource | ConsoleForward): Disposable & { find(fork: string): View | undefined } {
  const views = new Map<ConsoleSource, View>();
  return {
    find(fork) {
      if (typeof source === "function") return undefined;
      const found = fork === "" ? source : source.actions.forks?.open(fork);
      if (found === undefined) return undefined;
      const view = views.get(found) ?? createView(found, createFactIndex(found.recording));
      views.set(found, view);
      return view;
    },
    [Symbol.dispose]() {
      for (const { index } of views.values()) index[Symbol.dispose]();
    },
  };
}

/** Sends a file of the page; every other path shows the page, which knows what it means. */
export function sendFile(request: IncomingMessage, response: ServerResponse, url: URL, files: ServedFiles): void {
  const refuse = (failure: ApiFailure["error"]): void => sendFailure(response, failure);
  if (request.method !== "GET" && request.method !== "HEAD") {
    refuse({ code: 405, reason: "Invalid", message: "Files are only read." });
    return;
  }
  const name = url.pathname.slice(1);
  const file = files.get(name) ?? (/^assets\//.test(name) ? undefined : files.get("index.html"));
  if (file === undefined) {
    refuse(notFound(`There is no file ${name.slice(0, 200)}.`).failure);
    return;
  }
  const acceptsBrotli = /\bbr\b/.test(String(request.headers["accept-encoding"] ?? ""));
  const body = acceptsBrotli ? file.brotli : brotliDecompressSync(file.brotli);
  response.writeHead(200, {
    "content-type": file.contentType,
    "content-length": body.length,
    "cache-control": file.immutable ? "public, max-age=31536000, immutable" : "no-cache",
    ...(acceptsBrotli ? { "content-encoding": "br" } : {}),
    vary: "accept-encoding",
  });
  response.end(request.method === "HEAD" ? undefined : body);
}
