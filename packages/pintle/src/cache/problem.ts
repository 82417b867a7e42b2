import { ConnectionError, Expired, Forbidden, NotFound, type RequestError, TooManyRequests, Unauthorized } from "../client/index.ts";
import type { KindFacts } from "../kinds/index.ts";

/** Why a watch is not where it should be, in words that say what to do. */
export interface Problem {
  readonly type: "forbidden" | "missing" | "expired" | "busy" | "unreachable" | "silent" | "failed";
  readonly message: string;
  readonly error?: unknown;
  /** The server asked to be left alone for so many milliseconds. */
  readonly retryAfter?: number | undefined;
}

/** What a failed list or watch means. */
export function problemOf(error: unknown, kind: KindFacts, verb: "list" | "watch"): Problem {
  const said = error instanceof Error ? error.message : String(error);
  const of = (type: Problem["type"], message: string): Problem => ({ type, message, error });
  if (error instanceof Expired) return of("expired", `${kind.kind}: the version to go on from is gone; listing again`);
  if (error instanceof Forbidden) {
    const missing = error.denial?.verb ?? verb;
    return of("forbidden", `${kind.kind}: not allowed to ${missing} ${resourceOf(kind)}: grant get, list and watch on it. ${said}`);
  }
  if (error instanceof Unauthorized) return of("forbidden", `${kind.kind}: the server does not accept the credentials. ${said}`);
  if (error instanceof NotFound)
    return of("missing", `${kind.kind}: the server does not serve ${resourceOf(kind)} in ${kind.apiVersion}: is its CRD installed?`);
  if (error instanceof TooManyRequests) {
    const after = error.retryAfterSeconds;
    return { ...of("busy", `${kind.kind}: the server is busy. ${said}`), ...(after === undefined ? {} : { retryAfter: after * 1000 }) };
  }
  if (error instanceof ConnectionError) return of("unreachable", `${kind.kind}: no answer from the server. ${said}`);
  return of("failed", `${kind.kind}: ${verb} failed. ${said}`);
}

/** The server knows the request but not streaming lists. */
export function refusesStreaming(error: unknown): boolean {
  const { code } = error as Partial<RequestError>;
  return code === 400 || code === 422;
}

/** "deployments.apps" */
export function resourceOf(kind: KindFacts): string {
  return kind.group === "" ? kind.plural : `${kind.plural}.${kind.group}`;
}

/** A read of a kind that nobody watches. */
export class NotWatched extends Error {
  override readonly name = "NotWatched";
  constructor(kind: KindFacts) {
    super(
      `${kind.kind} is not watched here: list it in \`owns\` or \`watches\`, call watch() on the cache, or read it live with client.get`,
    );
  }
}

/** A read before the first list is there. */
export class NotSynced extends Error {
  override readonly name = "NotSynced";
  constructor(kind: KindFacts, problem: Problem | undefined) {
    super(`${kind.kind} has not been listed yet${problem === undefined ? ": wait for synced()" : `. ${problem.message}`}`);
  }
}
