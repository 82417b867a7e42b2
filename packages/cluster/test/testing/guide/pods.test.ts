import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { Deployment } from "pintle/kinds/apps/v1";
import { Job } from "pintle/kinds/batch/v1";
import { Event, Pod } from "pintle/kinds/core/v1";
import { virtualClock } from "pintle/testing";
import { describe, expect } from "vitest";
import { clusterTest } from "../../../src/vitest/index.ts";
import { Widget, widgets } from "./widget.ts";

const test = clusterTest({ operator: { controllers: [widgets] }, clock: virtualClock("2026-01-01T00:00:00Z") });

test("a widget is not ready while its new pods crash", async ({ cluster, client, namespace }) => {
  const ref = { name: "a", namespace };
  await client.create(Widget, { metadata: ref, spec: { size: 1 } });
  await cluster.settled();
  const annotations = { "node.pintle.dev/behaviour": "crash-loop", "node.pintle.dev/exit-code": "137" };
  const { items } = await client.list(Pod, { namespace });
  for (const { metadata } of items) await client.patch(Pod, { ...ref, name: metadata.name }, { merge: { metadata: { annotations } } });
  await cluster.advance(60_000);
  expect((await client.get(Widget, ref)).status?.ready).toBe(0);
  const [pod] = (await client.list(Pod, { namespace })).items;
  expect(pod?.status.containerStatuses?.[0]).toMatchObject({ restartCount: 2, lastState: { terminated: { exitCode: 137 } } });
});

describe("behaviours", () => {
  const at = { name: "a", namespace: "default" };
  const spec = { restartPolicy: "Never" as const, containers: [{ name: "main", image: "a" }] };
  const behave = (behaviour: string, more: object = {}) => ({ annotations: { "node.pintle.dev/behaviour": behaviour, ...more } });

  test.for([
    ["run", "Running", { ready: true }],
    ["complete", "Succeeded", { state: { terminated: { exitCode: 0, reason: "Completed" } } }],
    ["fail", "Failed", { state: { terminated: { exitCode: 1, reason: "Error" } } }],
    ["crash-loop", "Running", { ready: false, state: { waiting: { reason: "CrashLoopBackOff" } } }],
    ["image-pull-error", "Pending", { state: { waiting: { reason: "ImagePullBackOff" } } }],
    ["never-ready", "Running", { ready: false, state: { running: {} } }],
  ] as const)("%s", async ([behaviour, phase, status], { cluster, client }) => {
    await client.create(Pod, { metadata: { ...at, ...behave(behaviour) }, spec });
    await cluster.settled();
    const pod = await client.get(Pod, at);
    expect(pod.status.phase).toBe(phase);
    expect(pod.status.containerStatuses?.[0]).toMatchObject(status);
  });

  test("ready-after and ends-after delay, exit-code and logs say how it ends", async ({ cluster, client }) => {
    const metadata = behave("fail", {
      "node.pintle.dev/ready-after": "5",
      "node.pintle.dev/ends-after": "60",
      "node.pintle.dev/exit-code": "3",
      "node.pintle.dev/logs": "out of memory",
    });
    await client.create(Pod, { metadata: { ...at, ...metadata }, spec });
    await cluster.settled();
    const read = async () => (await client.get(Pod, at)).status.containerStatuses?.[0];
    expect(await read()).toMatchObject({ ready: false, state: { running: {} } });
    await cluster.advance(5_000);
    expect(await read()).toMatchObject({ ready: true });
    await cluster.advance(60_000);
    expect(await read()).toMatchObject({ state: { terminated: { exitCode: 3 } } });
    expect(await text(Readable.from(client.logs(Pod, at)))).toContain("out of memory");
  });

  test("pods of a Job complete by default", async ({ cluster, client }) => {
    await client.create(Job, { metadata: at, spec: { template: { spec } } });
    await cluster.settled();
    expect((await client.get(Job, at)).status.succeeded).toBe(1);
  });

  test("a behaviour that does not exist is recorded as a Warning Event", async ({ cluster, client }) => {
    const template = { metadata: { labels: { app: "a" }, ...behave("crashloop") }, spec: { containers: spec.containers } };
    await client.create(Deployment, { metadata: at, spec: { selector: { matchLabels: { app: "a" } }, template } });
    await cluster.settled();
    const events = (await client.list(Event, { namespace: "default" })).items.filter(({ reason }) => reason === "UnknownBehaviour");
    expect(events.map(({ type, message }) => [type, message])).toEqual([
      [
        "Warning",
        'annotation node.pintle.dev/behaviour: no behaviour "crashloop"; known are run, complete, fail, crash-loop, image-pull-error, never-ready. The pod behaves as without it',
      ],
    ]);
  });
});
