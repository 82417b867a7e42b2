import { runConcurrently } from "../harness/load/run-concurrently.ts";
import { installCrd } from "../harness/subjects/test-bed.ts";
import type { GrowthSample, GrowthSetup } from "./index.ts";
import { defineSampleKind } from "./sample-kind.ts";

const OBJECTS = 20;
const installedKinds = new Set<number>();

/** CPU of an operator with n controllers, each for its own kind with 20 objects, from the start until all objects are reconciled. */
export async function measureControllers({ client, startProgram }: GrowthSetup, n: number): Promise<GrowthSample> {
  for (let i = 0; i < n; i++) {
    if (installedKinds.has(i)) continue;
    installedKinds.add(i);
    const kind = defineSampleKind(i);
    await installCrd(client, kind.crd());
    await runConcurrently(OBJECTS, 4, (j) => client.create(kind, { metadata: { name: `thing-${j}`, namespace: "default" }, spec: {} }));
  }
  const addresses = ["--metrics-bind-address=0", "--health-probe-bind-address=0"];
  const operator = startProgram("growth/operator.js", [String(n), String(OBJECTS), ...addresses]);
  try {
    while ((await operator.readLine()) !== "starting");
    const before = operator.cpuSeconds();
    while ((await operator.readLine()) !== "reconciled");
    await operator.waitUntilIdle();
    return { "operator CPU": operator.cpuSeconds() - before };
  } finally {
    await operator.stop();
  }
}
