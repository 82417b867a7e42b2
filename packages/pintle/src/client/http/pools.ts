import type { Dispatcher } from "undici";
import type { Access, Credential } from "../access/index.ts";

/** The undici functions used, loaded when the first connection is about to be made. */
export type Undici = Pick<typeof import("undici"), "Pool" | "ProxyAgent">;

/** Connections of one identity. */
export interface Pools {
  /** For requests that are answered at once: few connections, kept open, taken in turn. */
  readonly short: Dispatcher;
  /** For answers that go on: a connection each, so that watches never make others wait. */
  readonly long: Dispatcher;
}

const MOST_SHORT = 64;
/** Shorter than the 90 seconds after which API servers close an idle connection. */
const IDLE = 60_000;
const CONNECT = 10_000;
/** The first probe of a quiet connection, so that the system notices a peer that is gone. */
const PROBE = 15_000;

/** One pair of pools at a time: a new certificate brings a new pair, and the old one goes when its last answer has ended. */
export function pools(access: Access, undici: Undici) {
  let credential: Credential | undefined;
  let open: Pools | undefined;

  function of(now: Credential): Pools {
    if (open !== undefined && credential !== undefined && sameConnections(credential, now)) return open;
    const before = open;
    credential = now;
    open = { short: pool(access, now, undici, MOST_SHORT), long: pool(access, now, undici, undefined) };
    for (const old of [before?.short, before?.long]) old?.close().catch(() => {});
    return open;
  }

  async function close(): Promise<void> {
    const both = open;
    await Promise.all([both?.short.destroy(), both?.long.destroy()]);
  }

  return { of, close };
}

function sameConnections(a: Credential, b: Credential): boolean {
  return a === b || (a.ca === b.ca && a.cert === b.cert && a.key === b.key);
}

function pool(access: Access, { ca, cert, key }: Credential, undici: Undici, most: number | undefined): Dispatcher {
  const { origin } = new URL(access.server);
  const tls = {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(access.serverName === undefined ? {} : { servername: access.serverName }),
    rejectUnauthorized: access.insecure !== true,
  };
  const kept = { keepAliveTimeout: IDLE, keepAliveMaxTimeout: IDLE, connections: most ?? null };
  if (access.proxy !== undefined) {
    return new undici.ProxyAgent({ uri: access.proxy, requestTls: tls, connect: { timeout: CONNECT }, ...kept } as never);
  }
  return new undici.Pool(origin, { ...kept, connect: { ...tls, timeout: CONNECT, keepAlive: true, keepAliveInitialDelay: PROBE } });
}
