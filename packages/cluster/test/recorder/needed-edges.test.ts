import { controller, createFlightRecorder, defineResource, type RunFact, silentLogger, startManager, z } from "pintle";
import type { Client } from "pintle/client";
import { seededRandom } from "pintle/internal/clock";
import type { KindInfo } from "pintle/kinds";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Deployment } from "pintle/kinds/apps/v1";
import { virtualClock } from "pintle/testing";
import { expect, test } from "vitest";
import { startCluster } from "../../src/index.ts";

const SEED = 20_261_119;
const SAMPLE = 8;

const Site = defineResource({
  group: "edges.example.com",
  version: "v1",
  kind: "Site",
  spec: z.object({ size: z.int() }),
  status: z.object({ ready: z.int() }),
});
const sites = controller(Site, {
  owns: [Deployment],
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

/** A version of an object that the operator's watches do not deliver: "Deployment a 41". */
type Removed = ReadonlySet<string>;

/** A client whose watches lack some events. */
function withoutEvents(client: Client, removed: Removed): Client {
  const watch = async function* (kind: KindInfo, ...rest: unknown[]) {
    for await (const event of (client.watch as any)(kind, ...rest)) {
      const { name, resourceVersion } = event.object?.metadata ?? {};
      if (!removed.has(`${kind.kind} ${name} ${resourceVersion}`)) yield event;
    }
  };
  return Object.create(client, { watch: { value: watch } }) as Client;
}

interface RunInStep {
  readonly step: number;
  readonly key: string;
  readonly causes: RunFact["causes"];
}

/** Plays the same changes on a cluster that is the same each time, and returns the runs of the operator. */
async function play(removed: Removed): Promise<readonly RunInStep[]> {
  await using cluster = await startCluster({ clock: virtualClock(), random: seededRandom(SEED) });
  await cluster.ready;
  const client = cluster.client();
  await client.create(CustomResourceDefinition, Site.crd() as never);
  await cluster.settled();
  const recorder = createFlightRecorder({ clock: cluster.clock, random: seededRandom(SEED), hasServerCommits: true });
  const manager = startManager({
    controllers: [sites],
    client: withoutEvents(cluster.client(), removed),
    clock: cluster.clock,
    random: seededRandom(SEED),
    recorder,
    logger: silentLogger,
  });
  await manager.ready;
  const at = (name: string) => ({ name, namespace: "default" });
  const changes = [
    () => client.create(Site, { metadata: at("a"), spec: { size: 1 } }),
    () => client.create(Site, { metadata: at("b"), spec: { size: 2 } }),
    () => client.patch(Site, at("a"), { merge: { spec: { size: 2 } } }),
    () => client.patch(Deployment, at("b"), { merge: { spec: { replicas: 1 } } }),
    () => client.delete(Deployment, at("a")),
    () => client.patch(Site, at("b"), { merge: { spec: { size: 1 } } }),
  ];
  const steps: number[] = [];
  for (const change of changes) {
    await change();
    await cluster.settled();
    steps.push(recorder.sequence);
  }
  const runs = recorder.facts().filter((fact): fact is RunFact => fact.type === "run");
  await manager.stop();
  return runs.map(({ sequence, key, causes }) => ({ step: steps.findIndex((last) => sequence <= last), key, causes }));
}

/** The versions that are causes of a run; undefined if it has others, such as a retry. */
function versionsOf({ causes }: RunInStep): readonly string[] | undefined {
  const versions = causes.map(({ object, first, event }) =>
    object?.resourceVersion === undefined || first !== undefined || event === "listed"
      ? undefined
      : `${object.kind} ${object.name} ${object.resourceVersion}`,
  );
  return versions.length > 0 && versions.every((version) => version !== undefined) ? (versions as readonly string[]) : undefined;
}

const describeRun = ({ step, key, causes }: RunInStep) =>
  JSON.stringify([step, key, causes.map(({ event, object }) => [event, object?.kind, object?.name, object?.resourceVersion])]);

test(`no edge of a run is without need: without its causes, it does not happen (seed ${SEED})`, { timeout: 240_000 }, async () => {
  const all = await play(new Set());
  expect((await play(new Set())).map(describeRun)).toEqual(all.map(describeRun));
  const random = seededRandom(SEED);
  const candidates = all.flatMap((run, i) => (versionsOf(run) === undefined ? [] : [{ run, i }]));
  expect(candidates.length).toBeGreaterThan(SAMPLE);
  const sample = candidates
    .map((each) => ({ ...each, order: random() }))
    .sort((a, b) => a.order - b.order)
    .slice(0, SAMPLE);
  for (const { run, i } of sample) {
    const versions = versionsOf(run)!;
    const without = await play(new Set(versions));
    const inStep = (runs: readonly RunInStep[]) => runs.filter(({ step, key }) => step === run.step && key === run.key).length;
    // Up to it, everything is as before.
    expect(without.slice(0, i).map(describeRun)).toEqual(all.slice(0, i).map(describeRun));
    expect(inStep(without), `without ${versions.join(", ")}: ${describeRun(run)}`).toBeLessThan(inStep(all));
    if (versions.length === 1) continue;
    // Each of several causes is one by itself.
    for (const kept of versions) {
      const others = versions.filter((version) => version !== kept);
      const one = await play(new Set(others));
      expect(one[i], `only ${kept}`).toMatchObject({ key: run.key, step: run.step });
    }
  }
});
