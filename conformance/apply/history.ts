import { isJsonObject } from "pintle/internal/json";
import type { JsonObject } from "pintle/kinds";
import { ApiError } from "../../packages/cluster/src/status/index.ts";
import { deepFreeze } from "./deep-freeze.ts";
import { findDifference } from "./difference.ts";
import { applyRequest } from "./embedded-apply.ts";
import { createRandom } from "./random.ts";
import { createSetup, nextStep } from "./requests.ts";
import type { ApplyServer, RealResponse } from "./server.ts";
import type { ComparedKind, WriteRequest } from "./step.ts";

/** A request and the real server's response. */
export interface Exchange {
  readonly step: WriteRequest;
  readonly answer: RealResponse;
  /** The time that the real server wrote to managedFields, if it did. */
  readonly now: string;
}

/** The requests to one object, and how the last response differed. */
export interface History {
  readonly seed: number;
  readonly exchanges: readonly Exchange[];
  readonly difference?: string | undefined;
}

/** Runs a random history of one object on the real server and the embedded code, up to the first difference. */
export async function runHistory(subject: ComparedKind, seed: number, real: ApplyServer): Promise<History> {
  const chance = createRandom(seed);
  const name = `s${seed}`;
  const cast = createSetup(subject, chance, name);
  const exchanges: Exchange[] = [];
  let live: JsonObject | undefined;
  for (let left = 6 + chance.int(10) + (cast.managers.length > 4 ? 12 : 0); left > 0; left--) {
    const step = nextStep(subject, chance, cast, live);
    const since = Date.now();
    const answer = await send(subject, step, name, real);
    const exchange = { step, answer, now: timeOf(answer, since) };
    exchanges.push(exchange);
    const why = compareExchange(subject, live, exchange);
    if (why !== undefined) return { seed, exchanges, difference: why };
    live = getStoredObject(live, exchange);
  }
  return { seed, exchanges };
}

/** Describes how the embedded result of an exchange differs; undefined if it does not. */
export function compareExchange(subject: ComparedKind, live: JsonObject | undefined, { step, answer, now }: Exchange): string | undefined {
  const stored = answer.code < 300 ? deepFreeze(answer.body) : undefined;
  return findDifference(subject, step, answer, runEmbedded(), live);

  function runEmbedded(): JsonObject | ApiError {
    try {
      return deepFreeze(applyRequest(subject, step, { live, stored, now }));
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
  }
}

/** The stored object after an exchange. */
export function getStoredObject(live: JsonObject | undefined, { answer }: Exchange): JsonObject | undefined {
  return answer.code < 300 ? deepFreeze(answer.body) : live;
}

/** A time that no real server writes: if it appears in a result, a timestamp was changed that should have stayed. */
const UNUSED_TIME = "2001-01-01T00:00:00Z";

function timeOf({ code, body }: RealResponse, since: number): string {
  const metadata = code < 300 ? body["metadata"] : undefined;
  const entries = (isJsonObject(metadata) ? (metadata["managedFields"] ?? []) : []) as unknown as readonly { readonly time?: string }[];
  const latest = entries.map(({ time = UNUSED_TIME }) => time).sort();
  return Date.parse(latest.at(-1) ?? UNUSED_TIME) >= Math.floor(since / 1000) * 1000 ? latest.at(-1)! : UNUSED_TIME;
}

const CONTENT_TYPES: { readonly [verb: string]: string } = {
  apply: "application/apply-patch+yaml",
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
};

async function send(
  subject: ComparedKind,
  { verb, apiVersion, manager, force, subresource, body }: WriteRequest,
  name: string,
  real: ApplyServer,
): Promise<RealResponse> {
  const query = `?fieldManager=${manager}${verb === "apply" ? `&force=${force}` : ""}`;
  if (verb === "create") return real.send("POST", subject.collection(apiVersion) + query, body);
  const path = subject.path(apiVersion, name, subresource) + query;
  return verb === "update" ? real.send("PUT", path, body) : real.send("PATCH", path, body, CONTENT_TYPES[verb]);
}
