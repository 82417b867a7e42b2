import type { Cluster } from "../../../src/index.ts";
import type { Answer, Exchange } from "../exchange.ts";
import { placesOf } from "./places.ts";
import { goodRequests, spoiltRequests } from "./requests.ts";

export interface Siege {
  /** How many answers of each class, 2 for 2xx. */
  readonly answered: ReadonlyMap<number, number>;
  /** Requests that met a fault of the server's own, or no answer. */
  readonly wrong: readonly unknown[];
}

/** Sends so many spoilt requests, a few at a time. */
export async function besiege(cluster: Cluster, asked: Exchange, { seed, count }: { seed: number; count: number }): Promise<Siege> {
  const answered = new Map<number, number>();
  const wrong: unknown[] = [];
  const places = placesOf(cluster.server);
  for (const good of goodRequests(places)) await asked.send(good);
  const requests = spoiltRequests(seed, count, places);
  const worker = async () => {
    for (const attack of requests) {
      const answer: Answer = await asked.send(attack).catch((error: unknown) => ({ code: 0, message: String(error) }));
      const kind = Math.floor(answer.code / 100);
      answered.set(kind, (answered.get(kind) ?? 0) + 1);
      // Upstream answers some patches with a 500 that has no reason; ours does so on purpose, in its words.
      const isFault = answer.code === 0 || (answer.code >= 500 && answer.reason !== "" && answer.reason !== "Timeout");
      if (isFault) wrong.push({ ...attack, body: attack.body?.toString("latin1").slice(0, 3000), answer });
    }
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
  return { answered, wrong };
}
