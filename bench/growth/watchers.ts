import type { ServerUnderLoad } from "../server/creates.ts";
import { measureWatch } from "../server/watches.ts";
import type { GrowthSample } from "./index.ts";

const SECONDS = 2;
const RATE = 100;

/** CPU of the API server while it delivers 100 writes per second to n watchers. */
export async function measureWatchers(underLoad: ServerUnderLoad, n: number): Promise<GrowthSample> {
  const load = { protocol: "h2" as const, watchers: n, connections: Math.max(1, Math.floor(n / 10)), rate: RATE };
  const figures = await measureWatch(underLoad, load, SECONDS);
  if (figures.incorrect > 0) throw new Error(`${figures.incorrect} of ${n} watchers missed events`);
  return { "API server CPU": figures["server CPU"] * SECONDS };
}
