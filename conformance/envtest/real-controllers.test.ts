import { type Client, connect } from "pintle/client";
import { Namespace } from "pintle/kinds/core/v1";
import { describe, expect, test } from "vitest";
import { createMasker } from "../controllers/mask.ts";
import { takeSnapshot } from "../controllers/snapshot.ts";
import { type ControlPlane, startControlPlane } from "../real/index.ts";
import { full } from "../sampling.ts";
import { collectLogErrors } from "./log-errors.ts";
import { createMixedBinaries } from "./mixed-binaries.ts";
import { LAST_NAMESPACE, runRounds } from "./workload.ts";

const minute = 60_000;
/** How long the workload runs; in a sample run, one round. */
const DURATION_MS = full ? 10 * minute : 0;

/** The real kube-controller-manager and kube-scheduler run on the drop-in as on kube-apiserver. */
describe("real controllers", { timeout: 2 * DURATION_MS + 5 * minute }, () => {
  test("produce the same objects and log no additional errors", async () => {
    await using parts = await createMixedBinaries();
    // One after the other: two control planes at once are too much for a small machine.
    const ours = await runWorkload(() => startControlPlane({ nodes: 2, binaries: parts.binaries }));
    const real = await runWorkload(() => startControlPlane({ nodes: 2 }));
    console.log(`real controllers: ${ours.rounds} rounds on the drop-in, ${real.rounds} on kube-apiserver`);
    expect(ours.left).toEqual(real.left);
    expect(ours.namespaces).toEqual(real.namespaces);
    expect(ours.complaints.filter((each) => !real.complaints.includes(each))).toEqual([]);
  });
});

async function runWorkload(start: () => Promise<ControlPlane>) {
  await using plane = await start();
  const client = await connect({ kubeconfig: plane.kubeconfig, fieldManager: "test", onWarning: () => {} });
  try {
    const end = Date.now() + DURATION_MS;
    const count = await runRounds(client, (round) => round === 1 || Date.now() < end);
    return {
      rounds: count,
      left: await listRemainingObjects(client),
      namespaces: await listNamespaces(client),
      complaints: collectLogErrors(plane.dir),
    };
  } finally {
    await client.close();
  }
}

async function listRemainingObjects(client: Client): Promise<readonly string[]> {
  return (await takeSnapshot(client, LAST_NAMESPACE, createMasker(LAST_NAMESPACE))).map(maskRolloutSteps);
}

/** Masks the generation of ReplicaSets: in how many steps a Deployment scales them depends on when its pods become ready. */
function maskRolloutSteps(object: string): string {
  if (!object.includes("deployment.kubernetes.io/desired-replicas")) return object;
  return object.replaceAll(/("(?:g|observedG)eneration": )\d+/g, "$1<steps>");
}

async function listNamespaces(client: Client): Promise<readonly string[]> {
  return (await client.list(Namespace)).items.map(({ metadata, status }) => `${metadata.name} ${status?.phase}`).sort();
}
