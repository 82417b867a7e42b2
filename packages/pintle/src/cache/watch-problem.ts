import { ConnectionError, Expired, Forbidden, NotFound, type RequestError, TooManyRequests, Unauthorized } from "../client/index.ts";
import { PintleError } from "../errors/index.ts";
import type { KindInfo } from "../kinds/index.ts";

/** Why a list or watch failed, with a message that says what to do. */
export interface WatchProblem {
  readonly type: "forbidden" | "missing" | "expired" | "busy" | "unreachable" | "silent" | "failed";
  readonly message: string;
  readonly error?: unknown;
  /** Milliseconds from the Retry-After of the API server. */
  readonly retryAfter?: number | undefined;
}

/** Classifies the error of a list or watch request. */
export function classifyWatchError(error: unknown, kind: KindInfo, verb: "list" | "watch"): WatchProblem {
  const text = error instanceof Error ? error.message : String(error);
  const createProblem = (type: WatchProblem["type"], message: string): WatchProblem => ({ type, message, error });
  if (error instanceof Expired) return createProblem("expired", `${kind.kind}: the resourceVersion is too old; listing again`);
  if (error instanceof Forbidden) {
    const missing = error.denial?.verb ?? verb;
    return createProblem(
      "forbidden",
      `${kind.kind}: not allowed to ${missing} ${formatGroupResource(kind)}: grant get, list and watch on it. ${text}`,
    );
  }
  if (error instanceof Unauthorized) return createProblem("forbidden", `${kind.kind}: the API server rejects the credentials. ${text}`);
  if (error instanceof NotFound)
    return createProblem(
      "missing",
      `${kind.kind}: the API server does not serve ${formatGroupResource(kind)} in ${kind.apiVersion}: is its CRD installed?`,
    );
  if (error instanceof TooManyRequests) {
    const after = error.retryAfterSeconds;
    return {
      ...createProblem("busy", `${kind.kind}: the API server is overloaded. ${text}`),
      ...(after === undefined ? {} : { retryAfter: after * 1000 }),
    };
  }
  if (error instanceof ConnectionError) return createProblem("unreachable", `${kind.kind}: no response from the API server. ${text}`);
  return createProblem("failed", `${kind.kind}: ${verb} failed. ${text}`);
}

/** Returns whether the API server rejected `sendInitialEvents`: it does not support streaming lists. */
export function isStreamingListUnsupported(error: unknown): boolean {
  const statusCode = (error as Partial<RequestError> | undefined)?.statusCode;
  return statusCode === 400 || statusCode === 422;
}

/** Formats a GroupResource: "deployments.apps". */
export function formatGroupResource(kind: KindInfo): string {
  return kind.group === "" ? kind.plural : `${kind.plural}.${kind.group}`;
}

/** A read from the cache of a kind that is not watched. */
export class NotWatched extends PintleError {
  override readonly name = "NotWatched";
  constructor(kind: KindInfo) {
    super(
      "PINTLE3102",
      `${kind.kind} is not watched here: list it in \`owns\` or \`watches\`, call watch() on the cache, or read it live with client.get`,
    );
  }
}

/** A read from the cache before its first list is complete. */
export class NotSynced extends PintleError {
  override readonly name = "NotSynced";
  constructor(kind: KindInfo, problem: WatchProblem | undefined) {
    super(
      "PINTLE3103",
      `${kind.kind} has not been listed yet${problem === undefined ? ": wait for waitForSync()" : `. ${problem.message}`}`,
    );
  }
}
