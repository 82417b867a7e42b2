import { controller, defineResource, silentLogger, startManager, z } from "pintle";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { ConfigMap } from "pintle/kinds/core/v1";
import { expect, onTestFinished, test } from "vitest";
import { startCluster } from "../../src/index.ts";
import { formatClusterReport } from "../../src/vitest/index.ts";

const Note = defineResource({ group: "example.com", version: "v1", kind: "Note", spec: z.object({ text: z.string() }) });
const notes = controller(Note, {
  owns: [ConfigMap],
  when: (old, now) => old?.spec.text !== now?.spec.text,
  reconcile: ({ object: { metadata, spec }, want }) =>
    want({ children: { text: ConfigMap.desired({ metadata: { name: metadata.name }, data: { text: spec.text } }) } }),
});

test("the report of a recorded cluster explains the last write of the operator and names events that led to no run", async () => {
  await using cluster = await startCluster({ recorder: true });
  const client = cluster.client();
  await client.create(CustomResourceDefinition, Note.crd() as never);
  await cluster.settled();
  const manager = startManager({ controllers: [notes], client: cluster.client(), recorder: cluster.recorder, logger: silentLogger });
  onTestFinished(() => manager.stop());
  await manager.ready;
  const at = { name: "a", namespace: "default" };
  await client.create(Note, { metadata: at, spec: { text: "one" } });
  await cluster.settled();
  for (const label of ["x", "y"]) await client.patch(Note, at, { merge: { metadata: { labels: { label } } } });
  await cluster.settled();
  const report = formatClusterReport(cluster);
  expect(report).toMatch(
    /why the objects of the operator changed last:\n {2}r\d+ wrote configmaps\/default\/a\n {4}by note, run .* of default\/a: .*\n {4}because of\n {4}r\d+ wrote example\.com\/notes\/default\/a\n {6}by kubernetes-admin \(pintle\): create\n/,
  );
  expect(report).toContain("events that led to no run:\n  note: Note default/a modified: predicate (2 times)");
  await using plain = await startCluster();
  expect(formatClusterReport(plain)).not.toContain("why the objects");
});
