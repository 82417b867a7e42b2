import { controller, defineResource, silentLogger, startManager, z } from "pintle";
import { NotFound } from "pintle/client";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { ConfigMap, Namespace, Pod } from "pintle/kinds/core/v1";
import { describe, expect } from "vitest";
import { clusterTest, formatClusterReport } from "../../src/vitest/index.ts";

const Note = defineResource({ group: "test.example.com", version: "v1", kind: "Note", spec: z.object({ text: z.string() }) });
const notes = controller(Note, {
  owns: [ConfigMap],
  reconcile: ({ object, want }) =>
    want({ children: { text: ConfigMap.desired({ metadata: { name: object.metadata.name }, data: { text: object.spec.text } }) } }),
});

const test = clusterTest({ setup: ({ client }) => client.create(CustomResourceDefinition, Note.crd()) });

test("runs an operator on its own cluster", async ({ cluster, client, namespace }) => {
  const operator = startManager({ controllers: [notes], client, logger: silentLogger });
  await operator.ready;
  await client.create(Note, { metadata: { name: "a", namespace }, spec: { text: "hello" } });
  await cluster.settled();
  expect((await client.get(ConfigMap, { name: "a", namespace })).data).toEqual({ text: "hello" });
  await operator.stop();
});

describe.concurrent("conflicting tests", () => {
  test.for(["one", "two", "three"])("%s", async (text, { client, cluster }) => {
    await expect(client.get(ConfigMap, { name: "mine", namespace: "default" })).rejects.toThrow(NotFound);
    await client.create(ConfigMap, { metadata: { name: "mine", namespace: "default" }, data: { text } });
    await client.delete(CustomResourceDefinition, { name: "notes.test.example.com" });
    await cluster.settled();
    expect((await client.get(ConfigMap, { name: "mine", namespace: "default" })).data).toEqual({ text });
  });
});

test("formats the report of a failed test", async ({ cluster, client }) => {
  cluster.journal.clear();
  await client.create(Namespace, { metadata: { name: "a" } });
  await client.find(ConfigMap, { name: "nowhere", namespace: "a" });
  await cluster.settled();
  await client.create(Pod, {
    metadata: { name: "sick", namespace: "a", annotations: { "node.pintle.dev/behaviour": "image-pull-error" } },
    spec: { containers: [{ name: "main", image: "missing:1" }] },
  });
  await cluster.settled();
  await cluster.stop();
  const text = formatClusterReport(cluster, 200);
  expect(text).toMatch(/^the last requests:\n/);
  expect(text).toContain("kubernetes-admin: get configmaps a/nowhere -> 404 NotFound");
  expect(text).toContain("kubernetes-admin (pintle): create pods a/sick -> 201");
  expect(text).toContain('Pod sick: Failed: Failed to pull image "missing:1"');
  expect(text).toMatch(/pods that are not ready:\n {2}a\/sick: Pending, (ErrImagePull|ImagePullBackOff)/);
});
