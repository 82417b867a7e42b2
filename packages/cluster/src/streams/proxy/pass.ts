import { request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Duplex } from "node:stream";
import { connect as tlsConnect } from "node:tls";
import type { ApiAnswer, ApiRequest, Headers } from "../../api/index.ts";
import { header } from "../../api/index.ts";
import { ApiError } from "../../status/index.ts";
import { bridge } from "./bridge.ts";

/** Where a request is passed on to. */
export interface Origin {
  readonly scheme: "http" | "https";
  readonly host: string;
  readonly port: number;
  readonly tls?: { readonly cert?: string; readonly key?: string; readonly rejectUnauthorized: boolean } | undefined;
  /** How it is reached, where that is not over the network. */
  connect?(): Promise<Duplex>;
}

export type Passing = Pick<ApiRequest, "method" | "headers" | "body" | "signal"> & {
  readonly path: string;
  /** "" or "?...". */
  readonly search: string;
};

/** Headers that are about one connection, or about who asks us, and are not passed on. */
const OWN = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "authorization",
  "host",
  "content-length",
]);
const UPGRADE = new Set(["connection", "upgrade"]);

/** Passes a request on, and its answer back: as it comes, or, where both sides agree to go on otherwise, byte by byte. */
export async function passed(origin: Origin, request: Passing): Promise<ApiAnswer> {
  const upgrade = wantsUpgrade(request.headers);
  const socket = await origin.connect?.().catch((error: Error) => {
    throw unreachable(error);
  });
  const wire = socket && origin.scheme === "https" ? tlsConnect({ socket, ...origin.tls }) : socket;
  const options: RequestOptions = {
    host: origin.host,
    port: origin.port,
    method: request.method,
    path: (request.path === "" ? "/" : request.path) + request.search,
    headers: passedOn(request.headers, origin, upgrade),
    signal: request.signal(),
    ...origin.tls,
    // With an agent, nobody would ask for our connection.
    ...(wire === undefined ? { agent: false } : { createConnection: () => wire }),
  };
  const outgoing = origin.scheme === "https" ? httpsRequest(options) : httpRequest(options);
  return new Promise((resolve, reject) => {
    outgoing.once("error", (error) => reject(unreachable(error)));
    outgoing.once("response", (answer) => resolve(plain(answer)));
    outgoing.once("upgrade", (answer, wire, first: Buffer) => {
      if (first.length > 0) wire.unshift(first);
      resolve({ status: 101, headers: answer.headers, body: { type: "wire", serve: (ours) => bridge(ours, wire) } });
    });
    outgoing.end(bytesOf(request));
  });
}

function plain(answer: IncomingMessage): ApiAnswer {
  const headers = Object.fromEntries(Object.entries(answer.headers).filter(([name]) => !OWN.has(name) || name === "content-length"));
  return { status: answer.statusCode ?? 502, headers, body: { type: "stream", chunks: answer } };
}

function wantsUpgrade(headers: Headers): boolean {
  return /\bupgrade\b/i.test(header(headers, "connection") ?? "") && header(headers, "upgrade") !== undefined;
}

function passedOn(headers: Headers, { host, port }: Origin, upgrade: boolean): Record<string, string | string[]> {
  const kept = Object.entries(headers).filter(([name]) => !name.startsWith(":") && (!OWN.has(name) || (upgrade && UPGRADE.has(name))));
  return {
    ...(Object.fromEntries(kept.filter(([name, value]) => value !== undefined && (upgrade || name !== "upgrade"))) as Record<
      string,
      string
    >),
    host: `${host}:${port}`,
  };
}

function bytesOf({ body }: Passing): Uint8Array | undefined {
  if (body === undefined) return undefined;
  return "bytes" in body ? body.bytes : Buffer.from(JSON.stringify(body.json));
}

function unreachable(error: Error): ApiError {
  return new ApiError(503, "ServiceUnavailable", `error trying to reach service: ${error.message}`);
}
