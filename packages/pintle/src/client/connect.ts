import { isatty } from "node:tty";
import { type Access, credentials, type Impersonation, type LocateOptions, locate } from "./access/index.ts";
import type { Client } from "./client.ts";
import { type ClientOptions, clientOver } from "./client-over.ts";
import { systemTiming } from "./timing.ts";
import type { Transport } from "./transport.ts";

export interface ConnectOptions extends ClientOptions, TransportOptions, LocateOptions {
  /** Says everything outright; nothing else is looked at. */
  readonly access?: Access | undefined;
}

export interface TransportOptions {
  /** Act as someone else, whatever the kubeconfig says about it. */
  readonly impersonate?: Impersonation | undefined;
  readonly userAgent?: string | undefined;
  /** Milliseconds a server has to begin its answer, and may be silent in the middle of one. Default: 75 s, more than servers take to give up themselves. */
  readonly timeout?: number | undefined;
  readonly timing?: ClientOptions["timing"];
  readonly random?: ClientOptions["random"];
}

const TIMEOUT = 75_000;

/** A client for a real API server: the one of `access`, or the one `locate()` finds. No request is made yet. */
export async function connect(options: ConnectOptions = {}): Promise<Client> {
  const access = options.access ?? (await locate(options));
  const transport = await transportTo(access, options);
  return clientOver(transport, { ...options, namespace: options.namespace ?? access.namespace });
}

/** The transport alone: pooled, authenticated, retrying where that is safe. */
export async function transportTo(access: Access, options: TransportOptions = {}): Promise<Transport> {
  const { timing = systemTiming, random = Math.random, userAgent = defaultUserAgent(), timeout = TIMEOUT } = options;
  const as = options.impersonate === undefined ? access : { ...access, user: { ...access.user, impersonate: options.impersonate } };
  // Loaded here and not above: programs that only use kinds, or an embedded cluster, never pay for it.
  const { httpTransport, retrying } = await import("./http/index.ts");
  const who = credentials(as, timing, { env: process.env, terminal: isatty(0) });
  return retrying(httpTransport(as, who, { userAgent, timeout }), timing, random);
}

function defaultUserAgent(): string {
  return `pintle (${process.platform}/${process.arch}) node/${process.versions.node}`;
}
