import type { WallClock } from "../../clock/index.ts";
import { ConnectionError } from "../errors/request-errors.ts";
import type { Transport, TransportRequest, TransportResponse } from "../transport.ts";
import { drainResponse } from "./http-transport.ts";

const MAX_ATTEMPTS = 5;
/** Backoff after the first attempt when the server sends no Retry-After; doubles. */
const INITIAL_BACKOFF_MS = 100;
/** Transient failures: the server is not listening yet, or the connection was dropped. An invalid certificate is not one. */
const TRANSIENT_ERRNOS = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "EAI_AGAIN", "HUNG_UP"]);
/** A response with a longer Retry-After is returned to the caller, which knows better what to do meanwhile. */
const MAX_RETRY_AFTER_MS = 30_000;

/**
 * Returns a transport that retries what is safe to retry: requests that never reached the server, idempotent requests without a
 * response, and requests that the server rejected with a Retry-After (429, 503).
 */
export function createRetryingTransport(transport: Transport, timing: WallClock, random: () => number): Transport {
  return {
    ...transport,
    async request(request) {
      for (let attempt = 1; ; attempt++) {
        const outcome = await attemptRequest(transport, request);
        const pause = attempt === MAX_ATTEMPTS ? undefined : computeBackoff(outcome, request, attempt, timing, random);
        if (pause === undefined) {
          if (outcome.error !== undefined) throw outcome.error;
          return outcome.response;
        }
        if (outcome.response !== undefined) await drainResponse(outcome.response);
        await timing.sleep(pause, request.signal);
      }
    },
  };
}

type AttemptOutcome =
  | { readonly response: TransportResponse; readonly error?: undefined }
  | { readonly error: ConnectionError; readonly response?: undefined };

async function attemptRequest(transport: Transport, request: TransportRequest): Promise<AttemptOutcome> {
  try {
    return { response: await transport.request(request) };
  } catch (error) {
    if (error instanceof ConnectionError) return { error };
    throw error;
  }
}

function computeBackoff(
  { response, error }: AttemptOutcome,
  request: TransportRequest,
  attempt: number,
  timing: WallClock,
  random: () => number,
): number | undefined {
  const backoff = INITIAL_BACKOFF_MS * 2 ** (attempt - 1) * (0.5 + random() / 2);
  if (error !== undefined)
    return TRANSIENT_ERRNOS.has(error.errno ?? "") && (!error.mayHaveReachedServer || isIdempotent(request)) ? backoff : undefined;
  if (response.status !== 429 && response.status !== 503) return undefined;
  const requested = parseRetryAfter(response.headers["retry-after"], timing.now());
  // Without it, a 429 is a final response (a disruption budget), and a 503 may come from any proxy.
  if (requested === undefined) return response.status === 503 && isIdempotent(request) ? backoff : undefined;
  return requested > MAX_RETRY_AFTER_MS ? undefined : Math.max(requested, backoff);
}

/** Whether repeating the request has no further effect. A JSON patch or a strategic merge patch may append to a list. */
function isIdempotent({ method, headers }: TransportRequest): boolean {
  if (method !== "PATCH") return method !== "POST";
  const type = headers?.["content-type"];
  return type === "application/apply-patch+yaml" || type === "application/merge-patch+json";
}

/** Parses a Retry-After header, seconds or a date, into milliseconds. */
function parseRetryAfter(header: string | readonly string[] | undefined, now: number): number | undefined {
  if (typeof header !== "string") return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
