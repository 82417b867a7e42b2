import { isDeepStrictEqual } from "node:util";
import type { Random } from "pintle/queue";
import type { Ask } from "../../packages/cluster/test/store/asker.ts";

const PATH = "/api/v1/namespaces/default/configmaps";

/** One writer of one object: what the server said yes to, and what it was asked for when it was killed. */
export interface Lane {
  readonly name: string;
  /** As the server answered; undefined: there is none. */
  acknowledged: object | undefined;
  /** What else may be there: a change that was never answered. `null`: that it is gone. */
  asked: Readonly<Record<string, string>> | null | undefined;
  /** Numbers what is written, so that no two writes are alike. */
  count: number;
}

export const lane = (name: string): Lane => ({ name, acknowledged: undefined, asked: undefined, count: 0 });

/** Writes until the server is gone; each next write waits for the answer to the one before. Returns how many were acknowledged. */
export async function write(ask: Ask, lane: Lane, random: Random): Promise<number> {
  for (let done = 0; ; done++) {
    const data = { count: String(lane.count++), filling: "x".repeat(random() < 0.1 ? 200_000 : random() * 500) };
    const step = lane.acknowledged === undefined ? "POST" : random() < 0.2 ? "DELETE" : "PUT";
    lane.asked = step === "DELETE" ? null : data;
    const object = { metadata: { name: lane.name }, data };
    let answer: Awaited<ReturnType<Ask>>;
    try {
      answer = await ask(step, step === "POST" ? PATH : `${PATH}/${lane.name}`, step === "DELETE" ? undefined : object);
    } catch {
      return done;
    }
    if (answer.status !== (step === "POST" ? 201 : 200)) throw new Error(`${step} ${lane.name}: ${JSON.stringify(answer)}`);
    lane.acknowledged = step === "DELETE" ? undefined : answer.body;
    lane.asked = undefined;
  }
}

/** What is wrong with what is there, by what the lane knows; undefined: nothing. What is there counts from now on. */
export function problem(lane: Lane, found: { readonly data?: unknown } | undefined): string | undefined {
  const { acknowledged, asked } = lane;
  const text = (value: unknown) => JSON.stringify(value ?? null);
  const isAcknowledged = isDeepStrictEqual(found, acknowledged);
  const isAsked = asked !== undefined && (asked === null ? found === undefined : isDeepStrictEqual(found?.data, asked));
  lane.acknowledged = found;
  lane.asked = undefined;
  if (isAcknowledged || isAsked) return undefined;
  return `${lane.name}: ${text(found).slice(0, 300)} is there, ${text(acknowledged).slice(0, 300)} was acknowledged, ${text(asked)?.slice(0, 100)} was asked for`;
}
