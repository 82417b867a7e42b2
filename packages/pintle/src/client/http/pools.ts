import type { Access, Credential } from "../access/index.ts";
import { lane } from "./lane.ts";
import { type Lanes, lanes } from "./lanes.ts";
import { opener } from "./opener.ts";

/** Connections of one identity. */
export interface Pools {
  /** For requests that are answered at once. */
  readonly short: Lanes;
  /** For answers that go on: as many as there are, so that watches never make others wait. */
  readonly long: Lanes;
}

const MOST_SHORT = 64;
/** A connection is made in this time or not at all. */
const CONNECT = 10_000;

/** One pair of pools at a time: a new certificate brings a new pair, and the old one goes when its last answer has ended. */
export function pools(access: Access, timeout: number) {
  let credential: Credential | undefined;
  let open: Pools | undefined;
  let closed = false;

  function of(now: Credential): Pools {
    if (open !== undefined && credential !== undefined && sameConnections(credential, now)) return open;
    open?.short.retire();
    open?.long.retire();
    const connect = opener(access, now, Math.min(CONNECT, timeout));
    const another = () => lane(connect);
    credential = now;
    open = { short: lanes(another, MOST_SHORT), long: lanes(another, Number.POSITIVE_INFINITY) };
    if (closed) close();
    return open;
  }

  function close(): void {
    closed = true;
    open?.short.destroy();
    open?.long.destroy();
  }

  return { of, close };
}

function sameConnections(a: Credential, b: Credential): boolean {
  return a === b || (a.ca === b.ca && a.cert === b.cert && a.key === b.key);
}
