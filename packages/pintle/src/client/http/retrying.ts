import { ConnectionError } from "../errors.ts";
import type { Timing } from "../timing.ts";
import type { Transport, TransportRequest, TransportResponse } from "../transport.ts";
import { discard } from "./http-transport.ts";

const ATTEMPTS = 5;
/** First pause when the server does not say how long; doubles. */
const PAUSE = 100;
/** What goes away by itself: nobody listens yet, or the connection was dropped. A wrong certificate does not. */
const PASSING = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "EAI_AGAIN", "HUNG_UP"]);
/** A server that wants a longer pause gets its answer passed on: whoever asked knows better what to do meanwhile. */
const LONGEST = 30_000;

/**
 * Repeats what is safe to repeat: requests that never got there, idempotent ones that got no answer, and those the
 * server turned away (429, 503) for a while that it names.
 */
export function retrying(transport: Transport, timing: Timing, random: () => number): Transport {
  return {
    ...transport,
    async request(request) {
      for (let attempt = 1; ; attempt++) {
        const outcome = await tried(transport, request);
        const pause = attempt === ATTEMPTS ? undefined : pauseAfter(outcome, request, attempt, timing, random);
        if (pause === undefined) {
          if (outcome.error !== undefined) throw outcome.error;
          return outcome.response;
        }
        if (outcome.response !== undefined) await discard(outcome.response);
        await timing.sleep(pause, request.signal);
      }
    },
  };
}

type Outcome =
  | { readonly response: TransportResponse; readonly error?: undefined }
  | { readonly error: ConnectionError; readonly response?: undefined };

async function tried(transport: Transport, request: TransportRequest): Promise<Outcome> {
  try {
    return { response: await transport.request(request) };
  } catch (error) {
    if (error instanceof ConnectionError) return { error };
    throw error;
  }
}

function pauseAfter(
  { response, error }: Outcome,
  request: TransportRequest,
  attempt: number,
  timing: Timing,
  random: () => number,
): number | undefined {
  const backoff = PAUSE * 2 ** (attempt - 1) * (0.5 + random() / 2);
  if (error !== undefined) return PASSING.has(error.errno ?? "") && (!error.mayHaveReached || idempotent(request)) ? backoff : undefined;
  if (response.status !== 429 && response.status !== 503) return undefined;
  const asked = retryAfter(response.headers["retry-after"], timing.now());
  // Without it a 429 is an answer of its own (a disruption budget), and a 503 may come from anybody on the way.
  if (asked === undefined) return response.status === 503 && idempotent(request) ? backoff : undefined;
  return asked > LONGEST ? undefined : Math.max(asked, backoff);
}

/** Doing it twice is as good as once. A JSON patch may append to a list, a strategic one too. */
function idempotent({ method, headers }: TransportRequest): boolean {
  if (method !== "PATCH") return method !== "POST";
  const type = headers?.["content-type"];
  return type === "application/apply-patch+yaml" || type === "application/merge-patch+json";
}

/** Seconds, or a date. */
function retryAfter(header: string | readonly string[] | undefined, now: number): number | undefined {
  if (typeof header !== "string") return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
