import type { ClusterAccess, Credential } from "../access/index.ts";
import { createConnection } from "./connection.ts";
import { type ConnectionPool, createConnectionPool } from "./connection-pool.ts";
import { createConnector } from "./connector.ts";

/** The connection pools of one identity. */
export interface CredentialPools {
  /** For requests with a short response. */
  readonly requests: ConnectionPool;
  /** For streaming responses: unlimited, so that watches never block other requests. */
  readonly streams: ConnectionPool;
}

const MAX_REQUEST_CONNECTIONS = 64;
/** Time limit for opening a connection. */
const CONNECT_TIMEOUT_MS = 10_000;

/** Returns the pools of the current identity. A new certificate replaces them; old ones close when their last response has ended. */
export function createCredentialPools(access: ClusterAccess, timeout: number) {
  let credential: Credential | undefined;
  let open: CredentialPools | undefined;
  let closed = false;

  function poolsFor(current: Credential): CredentialPools {
    if (open !== undefined && credential !== undefined && sharesConnections(credential, current)) return open;
    open?.requests.retire();
    open?.streams.retire();
    const connect = createConnector(access, current, Math.min(CONNECT_TIMEOUT_MS, timeout));
    const openConnection = () => createConnection(connect);
    credential = current;
    open = {
      requests: createConnectionPool(openConnection, MAX_REQUEST_CONNECTIONS),
      streams: createConnectionPool(openConnection, Number.POSITIVE_INFINITY),
    };
    if (closed) close();
    return open;
  }

  function close(): void {
    closed = true;
    open?.requests.destroy();
    open?.streams.destroy();
  }

  return { poolsFor, close };
}

function sharesConnections(a: Credential, b: Credential): boolean {
  return a === b || (a.ca === b.ca && a.cert === b.cert && a.key === b.key);
}
