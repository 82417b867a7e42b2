import { install } from "../frame/arena.ts";
import { atOnce } from "../frame/at-once.ts";
import type { Ground, Point } from "./index.ts";
import { thing } from "./thing.ts";

const OBJECTS = 20;
const installed = new Set<number>();

/** CPU of an operator with so many controllers, each of a kind of its own with 20 objects, from its start until all were reconciled. */
export async function manyControllers({ client, start }: Ground, n: number): Promise<Point> {
  for (let i = 0; i < n; i++) {
    if (installed.has(i)) continue;
    installed.add(i);
    const kind = thing(i);
    await install(client, kind.crd());
    await atOnce(OBJECTS, 4, (j) => client.create(kind, { metadata: { name: `thing-${j}`, namespace: "default" }, spec: {} }));
  }
  const addresses = ["--metrics-bind-address=0", "--health-probe-bind-address=0"];
  const operator = start("growth/sides/many.js", [String(n), String(OBJECTS), ...addresses]);
  try {
    while ((await operator.line()) !== "begun");
    const before = operator.cpu();
    while ((await operator.line()) !== "all");
    await operator.quiet();
    return { "operator CPU": operator.cpu() - before };
  } finally {
    await operator.stop();
  }
}
