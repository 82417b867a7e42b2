import { crowd } from "../frame/crowd.ts";
import type { Ground, Point } from "./index.ts";

/** CPU of the operator and of the API server, for so many objects from nothing to converged. */
export async function manyObjects({ contestant, client, start }: Ground, n: number): Promise<Point> {
  const all = crowd(client);
  const operator = start("peers/pintle/operator.js", ["--metrics-bind-address=0", "--health-probe-bind-address=0"]);
  try {
    await all.create("first");
    await all.settled(1);
    await operator.quiet();
    const before = { operator: operator.cpu(), server: contestant.cpuSeconds() };
    await all.grow(0, n);
    await all.settled(n + 1);
    await operator.quiet();
    return { "operator CPU": operator.cpu() - before.operator, "API server CPU": contestant.cpuSeconds() - before.server };
  } finally {
    await operator.stop();
    await all.stop();
    await all.clear();
  }
}
