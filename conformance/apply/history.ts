import { isObject, type JsonObject } from "pintle/kinds";
import { ApiError } from "../../packages/cluster/src/status/index.ts";
import { difference } from "./difference.ts";
import { frozen } from "./frozen.ts";
import { ours } from "./ours.ts";
import { random } from "./random.ts";
import { nextStep, setting } from "./requests.ts";
import type { Answer, Server } from "./server.ts";
import type { Step, Subject } from "./step.ts";

/** A request and what the real server made of it. */
export interface Exchange {
  readonly step: Step;
  readonly answer: Answer;
  /** When the real server did it, if it wrote that down. */
  readonly now: string;
}

/** What happened to one object, and why our answer to the last request was another one. */
export interface History {
  readonly seed: number;
  readonly exchanges: readonly Exchange[];
  readonly difference?: string | undefined;
}

/** A random history of one object, told to the real server and to us step by step, up to the first difference. */
export async function history(subject: Subject, seed: number, real: Server): Promise<History> {
  const chance = random(seed);
  const name = `s${seed}`;
  const cast = setting(subject, chance, name);
  const exchanges: Exchange[] = [];
  let live: JsonObject | undefined;
  for (let left = 6 + chance.int(10) + (cast.managers.length > 4 ? 12 : 0); left > 0; left--) {
    const step = nextStep(subject, chance, cast, live);
    const since = Date.now();
    const answer = await send(subject, step, name, real);
    const exchange = { step, answer, now: timeOf(answer, since) };
    exchanges.push(exchange);
    const why = judge(subject, live, exchange);
    if (why !== undefined) return { seed, exchanges, difference: why };
    live = after(live, exchange);
  }
  return { seed, exchanges };
}

/** Why our answer is not the real one; undefined when it is. */
export function judge(subject: Subject, live: JsonObject | undefined, { step, answer, now }: Exchange): string | undefined {
  const stored = answer.code < 300 ? frozen(answer.body) : undefined;
  return difference(subject, step, answer, answered(), live);

  function answered(): JsonObject | ApiError {
    try {
      return frozen(ours(subject, step, { live, stored, now }));
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
  }
}

/** What is stored after an exchange. */
export function after(live: JsonObject | undefined, { answer }: Exchange): JsonObject | undefined {
  return answer.code < 300 ? frozen(answer.body) : live;
}

/** A time that no real server writes: seen in our answer, we moved a time that should have stayed. */
const NEVER = "2001-01-01T00:00:00Z";

function timeOf({ code, body }: Answer, since: number): string {
  const metadata = code < 300 ? body["metadata"] : undefined;
  const entries = (isObject(metadata) ? (metadata["managedFields"] ?? []) : []) as unknown as readonly { readonly time?: string }[];
  const latest = entries.map(({ time = NEVER }) => time).sort();
  return Date.parse(latest.at(-1) ?? NEVER) >= Math.floor(since / 1000) * 1000 ? latest.at(-1)! : NEVER;
}

const CONTENT_TYPES: { readonly [verb: string]: string } = {
  apply: "application/apply-patch+yaml",
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
};

async function send(
  subject: Subject,
  { verb, apiVersion, manager, force, subresource, body }: Step,
  name: string,
  real: Server,
): Promise<Answer> {
  const query = `?fieldManager=${manager}${verb === "apply" ? `&force=${force}` : ""}`;
  if (verb === "create") return real.send("POST", subject.collection(apiVersion) + query, body);
  const path = subject.path(apiVersion, name, subresource) + query;
  return verb === "update" ? real.send("PUT", path, body) : real.send("PATCH", path, body, CONTENT_TYPES[verb]);
}
