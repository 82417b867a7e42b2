import type { Side } from "../server/creates.ts";
import { watching } from "../server/watchers.ts";
import type { Point } from "./index.ts";

const SECONDS = 2;
const RATE = 100;

/** CPU of the API server while 100 writes a second go to so many watchers. */
export async function manyWatchers(side: Side, n: number): Promise<Point> {
  const load = { protocol: "h2" as const, watchers: n, connections: Math.max(1, Math.floor(n / 10)), rate: RATE };
  const seen = await watching(side, load, SECONDS);
  if (seen.wrong > 0) throw new Error(`${seen.wrong} of ${n} watchers missed something`);
  return { "API server CPU": seen["server busy"] * SECONDS };
}
