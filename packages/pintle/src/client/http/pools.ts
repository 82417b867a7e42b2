import type { Access, Credential } from "../access/index.ts";
import { type Lane, type Lanes, lanes } from "./lanes.ts";
import type { Undici } from "./undici.ts";

/** Connections of one identity. */
export interface Pools {
  /** For requests that are answered at once. */
  readonly short: Lanes;
  /** For answers that go on: as many as there are, so that watches never make others wait. */
  readonly long: Lanes;
}

const MOST_SHORT = 64;
/** Shorter than the 90 seconds after which API servers close an idle connection. */
const IDLE = 60_000;
/** A connection is made in this time or not at all. */
const CONNECT = 10_000;
/** The first probe of a quiet connection, so that the system notices a peer that is gone. */
const PROBE = 15_000;

/** One pair of pools at a time: a new certificate brings a new pair, and the old one goes when its last answer has ended. */
export function pools(access: Access, undici: Undici, timeout: number) {
  let credential: Credential | undefined;
  let open: Pools | undefined;
  let closed = false;

  function of(now: Credential): Pools {
    if (open !== undefined && credential !== undefined && sameConnections(credential, now)) return open;
    open?.short.retire();
    open?.long.retire();
    const opener = laneOpener(access, now, undici, Math.min(CONNECT, timeout));
    credential = now;
    open = { short: lanes(opener, MOST_SHORT), long: lanes(opener, Number.POSITIVE_INFINITY) };
    if (closed) void close();
    return open;
  }

  async function close(): Promise<void> {
    closed = true;
    await Promise.all([open?.short.destroy(), open?.long.destroy()]);
  }

  return { of, close };
}

function sameConnections(a: Credential, b: Credential): boolean {
  return a === b || (a.ca === b.ca && a.cert === b.cert && a.key === b.key);
}

function laneOpener(access: Access, { ca, cert, key }: Credential, undici: Undici, timeout: number): () => Lane {
  const { origin } = new URL(access.server);
  const trust = {
    ...(ca === undefined ? {} : { ca }),
    rejectUnauthorized: access.insecure !== true,
    timeout,
    keepAlive: true,
    keepAliveInitialDelay: PROBE,
  };
  const tls = {
    ...trust,
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(access.serverName === undefined ? {} : { servername: access.serverName }),
  };
  const kept = { keepAliveTimeout: IDLE, keepAliveMaxTimeout: IDLE };
  const { proxy } = access;
  const { ProxyAgent } = undici;
  if (proxy !== undefined && ProxyAgent !== undefined)
    return () => new ProxyAgent({ uri: proxy, requestTls: tls, proxyTls: trust, connections: 1, ...kept });
  // One connector for all, because it remembers TLS sessions: connections after the first are cheaper to make.
  const connect = undici.buildConnector(tls);
  return () => new undici.Client(origin, { ...kept, connect });
}
