import { type Client, connect } from "pintle/client";
import { Namespace } from "pintle/kinds/core/v1";
import { describe, expect, test } from "vitest";
import { masker } from "../controllers/mask.ts";
import { snapshot } from "../controllers/snapshot.ts";
import { type ControlPlane, startControlPlane } from "../real/index.ts";
import { full } from "../sampling.ts";
import { complaints } from "./complaints.ts";
import { mixed } from "./mixed.ts";
import { LAST, rounds } from "./rounds.ts";

const minute = 60_000;
/** So long they work for, whatever they get done; in a sample, until one namespace has come and gone. */
const TIME = full ? 10 * minute : 0;

/** The real kube-controller-manager and kube-scheduler do their work on the drop-in as they do on kube-apiserver. */
describe("real controllers", { timeout: 2 * TIME + 5 * minute }, () => {
  test("leave the same behind, and complain of nothing else", async () => {
    await using parts = await mixed();
    // One after the other: two control planes at once starve each other on a small machine.
    const ours = await played(() => startControlPlane({ nodes: 2, binaries: parts.binaries }));
    const real = await played(() => startControlPlane({ nodes: 2 }));
    console.log(`real controllers: ${ours.rounds} rounds on the drop-in, ${real.rounds} on kube-apiserver`);
    expect(ours.left).toEqual(real.left);
    expect(ours.namespaces).toEqual(real.namespaces);
    expect(ours.complaints.filter((each) => !real.complaints.includes(each))).toEqual([]);
  });
});

async function played(start: () => Promise<ControlPlane>) {
  await using plane = await start();
  const client = await connect({ kubeconfig: plane.kubeconfig, fieldManager: "test", onWarning: () => {} });
  try {
    const end = Date.now() + TIME;
    const count = await rounds(client, (round) => round === 1 || Date.now() < end);
    return { rounds: count, left: await leftIn(client), namespaces: await namespacesOf(client), complaints: complaints(plane.dir) };
  } finally {
    await client.close();
  }
}

async function leftIn(client: Client): Promise<readonly string[]> {
  return snapshot(client, LAST, masker(LAST));
}

async function namespacesOf(client: Client): Promise<readonly string[]> {
  return (await client.list(Namespace)).items.map(({ metadata, status }) => `${metadata.name} ${status?.phase}`).sort();
}
