import type { Clock } from "pintle/internal/clock";
import type { Event } from "pintle/kinds/core/v1";
import type { AdmissionPlugin, AdmissionRequest } from "../../api/index.ts";
import { ApiError } from "../../status/index.ts";
import type { Unvalidated } from "../draft.ts";

/** A limit of the EventRateLimit plugin, as in its configuration file. */
export interface EventRateLimit {
  /** What shares the limit. */
  readonly type: "Server" | "Namespace" | "User" | "SourceAndObject";
  /** Events per second. */
  readonly qps: number;
  /** Events at once. */
  readonly burst: number;
  /** How many namespaces, users or objects are remembered. Default: 4096. */
  readonly cacheSize?: number | undefined;
}

const DEFAULT_CACHE_SIZE = 4096;

/** Refuses Events beyond the limits. Every limit counts every Event, also those that another limit refuses. */
export function createEventRateLimitPlugin(limits: readonly EventRateLimit[], clock: Clock): AdmissionPlugin {
  const enforcers = limits.map((limit) => createEnforcer(limit, clock));
  const check = async (request: AdmissionRequest) => {
    const problem = enforcers.map((enforce) => enforce(request)).findLast((each) => each !== undefined);
    if (problem !== undefined) throw new ApiError(429, "TooManyRequests", `Too many requests: ${problem}`);
  };
  return {
    name: "EventRateLimit",
    validate(request) {
      const { operation, kind } = request;
      const applies = kind.group === "" && kind.kind === "Event" && (operation === "CREATE" || operation === "UPDATE");
      return applies && enforcers.length > 0 ? check(request) : undefined;
    },
  };
}

/** Returns a function that takes a token for a request, or returns why there is none. */
function createEnforcer({ type, qps, burst, cacheSize }: EventRateLimit, clock: Clock): (request: AdmissionRequest) => string | undefined {
  const buckets = new Map<string, { tokens: number; at: number }>();
  return (request) => {
    const key = getKey(type, request);
    const now = clock.monotonic();
    const bucket = buckets.get(key) ?? { tokens: burst, at: now };
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1000) * qps);
    bucket.at = now;
    // The least recently used key comes first.
    buckets.delete(key);
    buckets.set(key, bucket);
    if (buckets.size > (cacheSize || DEFAULT_CACHE_SIZE)) buckets.delete(buckets.keys().next().value as string);
    if (bucket.tokens < 1) return `limit reached on type ${type} for key ${key}`;
    bucket.tokens--;
    return undefined;
  };
}

function getKey(type: EventRateLimit["type"], { namespace, user, object }: AdmissionRequest): string {
  switch (type) {
    case "Server":
      return "";
    case "Namespace":
      return namespace;
    case "User":
      return user.name;
    case "SourceAndObject": {
      const { source = {}, involvedObject = {} } = (object ?? {}) as Unvalidated<Event>;
      const { kind, namespace: of, name, uid, apiVersion } = involvedObject ?? {};
      return [source?.component, source?.host, kind, of, name, uid, apiVersion].map((part) => part ?? "").join("");
    }
  }
}
