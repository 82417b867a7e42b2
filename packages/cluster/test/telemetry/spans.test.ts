import { SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { InMemorySpanExporter, NodeTracerProvider, type ReadableSpan, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";
import { controller, createLogger, defineResource, startManager, webhook, z } from "pintle";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { ConfigMap } from "pintle/kinds/core/v1";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { startCluster } from "../../src/index.ts";
import { useCluster } from "../../src/vitest/index.ts";

const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
provider.register();
afterAll(async () => {
  await provider.shutdown();
  trace.disable();
});

const Note = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Note",
  spec: z.object({ text: z.string() }),
  status: z.object({ seen: z.string() }),
});
const notes = controller(Note, {
  owns: [ConfigMap],
  reconcile({ object: { metadata, spec }, want, log }) {
    if (spec.text === "bad") throw new Error("cannot write bad notes");
    log.info("writing", { text: spec.text });
    return want({
      children: { text: ConfigMap.desired({ metadata: { name: metadata.name }, data: { text: spec.text } }) },
      status: { seen: spec.text },
    });
  },
});
/** Reacts to what the other controller writes. */
const copies = controller(ConfigMap, {
  name: "copies",
  when: (_, now) => now?.metadata.name === "a",
  reconcile() {},
});
const checked = webhook(ConfigMap, { validate: () => [] });

const lines: string[] = [];
const context = useCluster({
  operator: {
    controllers: [notes, copies],
    webhooks: [checked],
    logger: createLogger({ write: (line) => lines.push(line) }),
    bugs: "retry",
  },
});

const spansNamed = (pattern: RegExp): readonly ReadableSpan[] => exporter.getFinishedSpans().filter(({ name }) => pattern.test(name));

test("a reconcile is a span with its requests below it, webhook reviews below those, links to its causes, and log lines with its ids", async () => {
  const { cluster, client } = context;
  exporter.reset();
  await client.create(Note, { metadata: { name: "a", namespace: "default" }, spec: { text: "one" } });
  await cluster.settled();

  const [reconcile] = spansNamed(/^reconcile note$/);
  expect(reconcile?.attributes).toMatchObject({
    "pintle.controller": "note",
    "pintle.object": "default/a",
    "pintle.run": expect.stringMatching(/^[0-9a-f]{8}-\d+$/),
  });
  const { traceId, spanId } = reconcile!.spanContext();
  const [write] = spansNamed(/^PATCH \/api\/v1\/namespaces\/default\/configmaps\/a$/);
  expect(write).toMatchObject({
    kind: SpanKind.CLIENT,
    parentSpanContext: { traceId, spanId },
    attributes: { "http.request.method": "PATCH", "http.response.status_code": 201 },
  });
  const [review] = spansNamed(/^review /);
  expect(review).toMatchObject({
    kind: SpanKind.SERVER,
    parentSpanContext: { traceId, spanId: write!.spanContext().spanId, isRemote: true },
  });
  expect(lines.map((line) => JSON.parse(line) as Record<string, unknown>)).toContainEqual(
    expect.objectContaining({ message: "writing", text: "one", trace_id: traceId, span_id: spanId }),
  );
  // The other controller was called because of what this run wrote.
  const caused = spansNamed(/^reconcile copies$/).find(({ attributes }) => attributes["pintle.object"] === "default/a");
  expect(caused?.links).toContainEqual(
    expect.objectContaining({
      context: expect.objectContaining({ traceId, spanId }),
      attributes: { "pintle.cause": "added ConfigMap default/a" },
    }),
  );
  // Watches and lists of caches are part of no trace.
  expect(spansNamed(/^GET/).filter(({ parentSpanContext }) => parentSpanContext === undefined)).toEqual([]);
});

test("a failed reconcile is a span with its error, and its retry links to it", async () => {
  const { client } = context;
  exporter.reset();
  await client.create(Note, { metadata: { name: "b", namespace: "default" }, spec: { text: "bad" } });
  await expect.poll(() => spansNamed(/^reconcile note$/).length, { timeout: 20_000 }).toBeGreaterThan(1);
  const [failed, retried] = spansNamed(/^reconcile note$/);
  expect(failed?.status).toMatchObject({ code: SpanStatusCode.ERROR, message: "cannot write bad notes" });
  expect(failed?.events).toContainEqual(expect.objectContaining({ name: "exception" }));
  expect(retried?.links).toContainEqual(
    expect.objectContaining({ context: expect.objectContaining({ spanId: failed?.spanContext().spanId }) }),
  );
});

test("a recorded run names its trace", async () => {
  await using cluster = await startCluster({ recorder: true });
  const client = cluster.client();
  await client.create(CustomResourceDefinition, Note.crd() as never);
  await cluster.settled();
  const manager = startManager({
    controllers: [notes],
    client: cluster.client(),
    recorder: cluster.recorder,
    logger: createLogger({ write() {} }),
  });
  onTestFinished(() => manager.stop());
  await manager.ready;
  exporter.reset();
  await client.create(Note, { metadata: { name: "a", namespace: "default" }, spec: { text: "one" } });
  await cluster.settled();
  const [span] = spansNamed(/^reconcile note$/);
  expect(cluster.recorder!.facts()).toContainEqual(
    expect.objectContaining({ type: "run", controller: "note", trace: span?.spanContext().traceId }),
  );
});
