import { controller, createFlightRecorder, defineResource, formatExplanation, silentLogger, startManager, z } from "pintle";
import { type CausalIndex, type CommitExplanation, createCausalIndex, explainCommit } from "pintle/internal/recorder";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Deployment, ReplicaSet } from "pintle/kinds/apps/v1";
import { Pod } from "pintle/kinds/core/v1";
import { expect, onTestFinished, test } from "vitest";
import { startCluster } from "../../src/index.ts";

const Site = defineResource({
  group: "inferred.example.com",
  version: "v1",
  kind: "Site",
  spec: z.object({ size: z.int() }),
  status: z.object({ ready: z.int() }),
});
const sites = controller(Site, {
  owns: [Deployment],
  // Watched as an operator that waits for its pods does: what it sees is all that causes are inferred from.
  watches: { sets: { kind: ReplicaSet, by: () => [] }, pods: { kind: Pod, by: () => [] } },
  reconcile({ object: { metadata, spec }, owned, want }) {
    const labels = { app: metadata.name };
    return want({
      children: {
        web: Deployment.desired({
          metadata: { name: metadata.name },
          spec: {
            replicas: spec.size,
            selector: { matchLabels: labels },
            template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "web:1" }] } },
          },
        }),
      },
      status: { ready: owned(Deployment).get(metadata.name)?.status.readyReplicas ?? 0 },
    });
  },
});

/** All that led to a commit. */
function ancestors(index: CausalIndex, revision: number): ReadonlySet<number> {
  const found = new Set<number>();
  const visit = (node: CommitExplanation | undefined) => {
    for (const cause of node?.causes ?? []) {
      found.add(cause.commit.revision);
      visit(cause);
    }
  };
  visit(explainCommit(index, revision));
  return found;
}

test("without the API server's commits, causes are inferred from metadata, marked, and agree with the exact ones", async () => {
  await using cluster = await startCluster({ recorder: true });
  await cluster.client().create(CustomResourceDefinition, Site.crd() as never);
  await cluster.settled();
  // A recorder of its own, as on a real cluster: it has what the operator's watches see.
  const recorder = createFlightRecorder({ clock: cluster.clock });
  const manager = startManager({ controllers: [sites], client: cluster.client(), clock: cluster.clock, recorder, logger: silentLogger });
  onTestFinished(() => manager.stop());
  await manager.ready;
  const jane = cluster.client({ user: { name: "jane", groups: ["system:masters"] } });
  const metadata = { name: "s", namespace: "default" };
  await jane.create(Site, { metadata, spec: { size: 1 } }, { fieldManager: "kubectl" });
  await cluster.settled();
  await jane.patch(Site, metadata, { merge: { spec: { size: 2 } } }, { fieldManager: "kubectl" });
  await cluster.settled();
  const { metadata: grown } = await jane.get(Site, metadata);
  await jane.delete(Deployment, metadata);
  await cluster.settled();

  const inferred = createCausalIndex(recorder.facts());
  const exact = createCausalIndex(cluster.recorder!.facts());
  const seen = [...inferred.commits.values()].sort((a, b) => a.revision - b.revision);
  expect(seen.length).toBeGreaterThan(20);
  for (const { revision } of seen) expect(exact.commits.has(revision)).toBe(true);

  // The readiness that the operator writes is explained up to the user's change, through controllers that sent no run ids.
  const text = formatExplanation(explainCommit(inferred, Number(grown.resourceVersion))!);
  expect(text).toMatch(/by site, run [0-9a-f]{8}-\d+ of default\/s/);
  expect(text).toMatch(/because of \(inferred: observedGeneration\)/);
  expect(text).toMatch(/because of \(inferred: owner\)/);
  expect(text).toContain("by field manager kubectl");
  expect(text).toContain("by field manager kube-controller-manager");

  // Own writes are joined by id, so nothing about them is inferred.
  const own = seen.filter(({ observed }) => observed?.managers.includes("site") === true);
  expect(own.length).toBeGreaterThan(3);
  for (const { revision } of own) {
    const explanation = explainCommit(inferred, revision)!;
    expect(explanation.run?.controller).toBe("site");
    expect(explanation.causes.filter((cause) => cause.inferred !== undefined)).toEqual([]);
  }

  // Users' changes have no cause.
  for (const { revision } of seen.filter(({ observed }) => observed?.managers.includes("kubectl") === true))
    expect(explainCommit(inferred, revision)).toMatchObject({ run: undefined, causes: [] });

  let [right, wrong] = [0, 0];
  const mistakes: string[] = [];
  for (const { revision, key } of seen) {
    const [edge] = explainCommit(inferred, revision)!.causes.filter((cause) => cause.inferred !== undefined);
    if (edge === undefined) continue;
    if (ancestors(exact, revision).has(edge.commit.revision)) right++;
    else {
      wrong++;
      mistakes.push(`r${revision} ${key} <- r${edge.commit.revision} ${edge.commit.key} (${edge.inferred})`);
    }
  }
  expect(right).toBeGreaterThan(10);
  expect(right / (right + wrong), mistakes.join("\n")).toBeGreaterThan(0.9);
});

test("a recorder that has the API server's commits records no observed versions", async () => {
  await using cluster = await startCluster({ recorder: true });
  await cluster.client().create(CustomResourceDefinition, Site.crd() as never);
  await cluster.settled();
  const manager = startManager({
    controllers: [sites],
    client: cluster.client(),
    clock: cluster.clock,
    recorder: cluster.recorder,
    logger: silentLogger,
  });
  onTestFinished(() => manager.stop());
  await manager.ready;
  await cluster.client().create(Site, { metadata: { name: "s", namespace: "default" }, spec: { size: 1 } });
  await cluster.settled();
  expect(cluster.recorder!.facts().filter((fact) => fact.type === "commit" && fact.observed !== undefined)).toEqual([]);
});
