import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "pintle/internal/clock";
import { parseJson, stringifyJson } from "pintle/internal/json";
import { BodyTooLarge, readBoundedBody } from "pintle/internal/loopback";
import type { ApiFailure } from "../protocol.ts";
import {
  createPortForwards,
  findRoute,
  followLogs,
  getSession,
  listRoutes,
  matchPath,
  type RouteContext,
  splitPath,
  type View,
} from "../routes/index.ts";
import { ConsoleFailure, invalid, notFound } from "../source/index.ts";
import { streamFacts } from "./event-stream.ts";

const MAX_BODY_BYTES = 4 * 1024 * 1024;

export interface ApiHandlerOptions {
  readonly version: string;
  readonly clock: Clock;
  /** Reports failures that are bugs. */
  readonly onError: (error: unknown) => void;
}

/** Answers requests below "/api", after the guard and the login. */
export interface ApiHandler extends AsyncDisposable {
  handle(view: View, request: IncomingMessage, response: ServerResponse, url: URL): Promise<void>;
}

export function createApiHandler({ version, clock, onError }: ApiHandlerOptions): ApiHandler {
  const forwards = createPortForwards();
  const routes = listRoutes(forwards);
  const closing = new AbortController();

  const answer = async (view: View, request: IncomingMessage, response: ServerResponse, url: URL, signal: AbortSignal) => {
    const { method = "GET" } = request;
    const pathname = url.pathname.slice("/api".length);
    await view.source.refresh?.();
    view.index.update();
    if (method === "GET" && pathname === "/session") return sendJson(response, 200, getSession(view, version));
    if (method === "GET" && pathname === "/stream") return sendStream(view, request, response, url, signal);
    const at = parseAt(url);
    const context = { view, query: url.searchParams, at, signal, body: undefined, params: {} };
    if (method === "GET" && pathname.startsWith("/logs/")) return sendLogs(context, response, pathname);
    if (method === "GET" && pathname === "/trace") return sendTrace(view, response);
    const found = findRoute(routes, method, pathname);
    // What a source cannot do does not exist in it.
    if (found === undefined || (found.route.needs !== undefined && !view.source.can.includes(found.route.needs))) {
      if (found !== undefined && view.source.mode !== "production")
        throw new ConsoleFailure({
          code: 403,
          reason: "ReadOnly",
          message: view.source.readOnlyReason ?? "This session does not allow it.",
        });
      throw notFound(`There is no route ${method} ${url.pathname.slice(0, 200)}.`);
    }
    const body = method === "POST" ? await readBody(request) : undefined;
    const result = await found.route.handle({ ...context, body, params: found.params });
    if (result === undefined) response.writeHead(204).end();
    else sendJson(response, 200, result);
  };

  async function sendStream(view: View, request: IncomingMessage, response: ServerResponse, url: URL, signal: AbortSignal): Promise<void> {
    const [, recording, last] = /^([0-9a-f]{1,40})\.(\d{1,15})$/.exec(String(request.headers["last-event-id"] ?? "")) ?? [];
    const after = url.searchParams.get("after");
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    const options = {
      view,
      version,
      clock,
      recording: recording ?? url.searchParams.get("recording") ?? undefined,
      after: last !== undefined ? Number(last) : after !== null && /^\d{1,15}$/.test(after) ? Number(after) : undefined,
      onBeforeRead: view.source.refresh === undefined ? undefined : () => view.source.refresh!(),
    };
    await streamFacts(response, options, signal);
    response.end();
  }

  async function sendLogs(context: RouteContext, response: ServerResponse, pathname: string): Promise<void> {
    const { namespace, name } = matchPath("/logs/:namespace/:name", splitPath(pathname) ?? []) ?? {};
    if (!context.view.source.can.includes("logs") || namespace === undefined || name === undefined) throw notFound("There are no logs.");
    const lines = followLogs({ ...context, params: { namespace, name } });
    const send = (event: string, data: unknown) => response.write(`event: ${event}\ndata: ${stringifyJson(data)}\n\n`);
    // A failure before the first line is an answer, not a stream.
    const first = await lines.next();
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    try {
      for (let next = first; next.done !== true; next = await lines.next()) send("line", next.value);
      send("end", { reason: "the container has ended, or its output" });
    } catch (error) {
      if (!context.signal.aborted) send("end", { reason: (error as Error).message });
    }
    response.end();
  }

  async function sendTrace(view: View, response: ServerResponse): Promise<void> {
    if (!view.source.can.includes("save-trace") || view.source.actions.saveTrace === undefined)
      throw notFound("This session has no trace to save.");
    const bytes = await view.source.actions.saveTrace();
    const stamp = new Date(view.source.now()).toISOString().replaceAll(/[-:]|\.\d+Z/g, "");
    response.writeHead(200, {
      "content-type": "application/zip",
      "content-disposition": `attachment; filename="${view.source.name.replaceAll(/[^\w.-]/g, "-")}-${stamp}.pintle-trace"`,
      "cache-control": "no-store",
    });
    response.end(bytes);
  }

  return {
    async handle(view, request, response, url) {
      const ended = new AbortController();
      response.on("close", () =>
        ended.abort(new ConsoleFailure({ code: 499, reason: "Internal", message: "The page has closed the connection." })),
      );
      const signal = AbortSignal.any([ended.signal, closing.signal]);
      try {
        await answer(view, request, response, url, signal);
      } catch (error) {
        if (response.headersSent || ended.signal.aborted) return void response.destroy();
        if (!(error instanceof ConsoleFailure)) onError(error);
        sendFailure(response, toFailure(error));
      }
    },
    async [Symbol.asyncDispose]() {
      closing.abort(new ConsoleFailure({ code: 503, reason: "Internal", message: "The console is closing." }));
      await forwards[Symbol.asyncDispose]();
    },
  };
}

/** A failure as the page gets it. Messages of unexpected errors stay in the terminal. */
function toFailure(error: unknown): ApiFailure["error"] {
  if (error instanceof ConsoleFailure) return error.failure;
  return { code: 500, reason: "Internal", message: "The console has failed to answer; the terminal says why." };
}

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  const text = stringifyJson(value);
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" }).end(text);
}

export const sendFailure = (response: ServerResponse, error: ApiFailure["error"]): void =>
  sendJson(response, error.code, { error } satisfies ApiFailure);

export async function readBody(request: IncomingMessage): Promise<unknown> {
  if ((request.headers["content-type"] ?? "").split(";")[0]!.trim().toLowerCase() !== "application/json")
    throw new ConsoleFailure({ code: 415, reason: "Invalid", message: "The body must be JSON: set the header Content-Type." });
  try {
    const bytes = await readBoundedBody(request, MAX_BODY_BYTES);
    return parseJson(bytes);
  } catch (error) {
    if (error instanceof BodyTooLarge)
      throw new ConsoleFailure({ code: 413, reason: "Invalid", message: `The body is larger than ${MAX_BODY_BYTES} bytes.` });
    throw invalid("The body is no JSON.");
  }
}

function parseAt(url: URL): number | undefined {
  const text = url.searchParams.get("at");
  if (text === null || text === "") return undefined;
  if (!/^\d{1,15}$/.test(text)) throw invalid("at must be a revision.");
  return Number(text);
}
