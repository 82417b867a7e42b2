import { NotFound } from "pintle/client";
import { Deployment } from "pintle/kinds/apps/v1";
import { Job } from "pintle/kinds/batch/v1";
import { ConfigMap, Pod } from "pintle/kinds/core/v1";
import { seededRandom, virtualClock } from "pintle/testing";
import { expect, test } from "vitest";
import { startCluster, testAuthority } from "../../src/index.ts";

const namespace = "default";
const STEPS = 1000;

/** Runs a thousand random steps of a client while the clock advances; returns the audit log and the stored objects. */
async function runScenario(seed: number): Promise<{ readonly journal: string; readonly store: string; readonly entries: number }> {
  const cluster = await startCluster({ clock: virtualClock(), random: seededRandom(seed), authority: testAuthority });
  const client = cluster.client();
  const choice = seededRandom(seed + 1);
  const upTo = (n: number) => Math.floor(choice() * n);
  const ignoreNotFound = (error: unknown) => {
    if (!(error instanceof NotFound)) throw error;
  };
  await cluster.ready;
  for (let step = 0; step < STEPS; step++) {
    const metadata = { name: `a${upTo(10)}`, namespace };
    const labels = { app: metadata.name };
    const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: `image:${upTo(3)}` }] } };
    switch (upTo(25)) {
      case 0:
        await client.apply(Deployment, { metadata, spec: { replicas: upTo(3), selector: { matchLabels: labels }, template } });
        break;
      case 1:
        await client.create(Job, {
          metadata: { generateName: "job-", namespace },
          spec: { ttlSecondsAfterFinished: upTo(600), template: { spec: { ...template.spec, restartPolicy: "Never" } } },
        });
        break;
      case 2:
        await client.delete(Deployment, metadata).catch(ignoreNotFound);
        break;
      case 3:
        // Concurrent requests, whose order is not specified.
        await Promise.all([1, 2, 3].map(() => client.create(ConfigMap, { metadata: { generateName: "some-", namespace } })));
        break;
      case 4:
        await cluster.advance(upTo(60_000));
        break;
      case 5:
        await client.delete(ConfigMap, (await client.list(ConfigMap, { namespace })).items[0]!.metadata);
        break;
      default:
        await client.apply(ConfigMap, { metadata, data: { step: String(step) } });
    }
  }
  await cluster.advance(600_000);
  expect((await client.list(Pod)).items.length).toBeGreaterThan(0);
  const { entries, revision } = cluster.snapshot().objects;
  const journal = JSON.stringify(cluster.journal.entries);
  await cluster.stop();
  return { journal, store: JSON.stringify([revision, [...entries]]), entries: cluster.journal.entries.length };
}

test("produces the same audit log and the same stored bytes for the same seed, clock and authority", async () => {
  const first = await runScenario(7);
  const second = await runScenario(7);
  expect(first.entries).toBeGreaterThan(STEPS);
  expect(second.journal === first.journal).toBe(true);
  expect(second.store === first.store).toBe(true);
}, 300_000);
