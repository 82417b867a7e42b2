import {
  allow,
  type Controller,
  controller,
  createFlightRecorder,
  type DropFact,
  type DropReason,
  defineResource,
  type ManagerOptions,
  silentLogger,
  startManager,
  z,
} from "pintle";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { ConfigMap, Namespace } from "pintle/kinds/core/v1";
import { virtualClock } from "pintle/testing";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { startCluster } from "../../src/index.ts";

const Note = defineResource({ group: "drops.example.com", version: "v1", kind: "Note", spec: z.object({ text: z.string() }) });
const shared = await startCluster({ recorder: true, clock: virtualClock(1_000) });
const client = shared.client();
/** Each test has a namespace, and a controller for it. */
const at = (namespace: string, name = "a") => ({ namespace, name });

beforeAll(async () => {
  await client.create(CustomResourceDefinition, Note.crd() as never);
  await shared.settled();
  return () => shared.stop();
});

async function startRecorded(namespace: string, notes: Controller, options: Partial<ManagerOptions> = {}) {
  await client.create(Namespace, { metadata: { name: namespace } });
  const recorder = createFlightRecorder({ clock: shared.clock, random: () => 0.5 });
  const manager = startManager({
    controllers: [notes],
    namespaces: [namespace],
    client: shared.client(),
    clock: shared.clock,
    logger: silentLogger,
    recorder,
    ...options,
  });
  onTestFinished(() => manager.stop());
  await manager.ready;
  await shared.settled();
  const drops = (reason: DropReason) => recorder.facts().filter((fact): fact is DropFact => fact.type === "drop" && fact.reason === reason);
  const runs = () => recorder.facts().filter((fact) => fact.type === "run" && fact.key !== "");
  return { manager, recorder, drops, runs };
}

const createNote = (namespace: string, text = "one") => client.create(Note, { metadata: at(namespace), spec: { text } });
const copyText = controller(Note, {
  name: "copy",
  owns: [ConfigMap],
  reconcile: ({ object: { metadata, spec }, want }) =>
    want({ children: { text: ConfigMap.desired({ metadata: { name: metadata.name }, data: { text: spec.text } }) } }),
});

test("an event that the predicate refuses is a drop, with the version", async () => {
  const notes = controller(Note, { name: "picky", when: (old, now) => old?.spec.text !== now?.spec.text, reconcile() {} });
  const { drops, runs } = await startRecorded("predicate", notes);
  await createNote("predicate");
  await shared.settled();
  const { metadata } = await client.patch(Note, at("predicate"), { merge: { metadata: { labels: { a: "b" } } } });
  await shared.settled();
  expect(drops("predicate")).toMatchObject([
    {
      controller: "picky",
      time: shared.clock.now(),
      cause: {
        event: "modified",
        source: "object",
        object: { kind: "Note", ...at("predicate"), uid: metadata.uid, resourceVersion: metadata.resourceVersion },
      },
    },
  ]);
  expect(runs()).toHaveLength(1);
});

test("an event that concerns no object of the controller is a drop without a key", async () => {
  const { drops } = await startRecorded("unmapped", copyText);
  await client.create(ConfigMap, { metadata: at("unmapped", "foreign"), data: {} });
  await shared.settled();
  const found = drops("mapped to no key").filter(({ cause }) => cause?.object?.name === "foreign");
  expect(found).toMatchObject([{ cause: { event: "added", source: "owns", object: { kind: "ConfigMap" } } }]);
  expect(found[0]).not.toHaveProperty("key");
});

test("an event that the controller's own write caused is a drop, with the version that it wrote", async () => {
  const { drops, recorder } = await startRecorded("own", copyText);
  await createNote("own");
  await shared.settled();
  const written = recorder.facts().find((fact) => fact.type === "request" && fact.side === "client" && fact.kind === "ConfigMap");
  const { resourceVersion } = written as { readonly resourceVersion: string };
  expect(drops("own write")).toMatchObject([{ key: "own/a", cause: { event: "added", source: "owns", object: { resourceVersion } } }]);
});

test("a run of a paused object is a drop that names the run", async () => {
  const { drops, runs } = await startRecorded("paused", copyText);
  await createNote("paused");
  await shared.settled();
  await client.patch(Note, at("paused"), { merge: { metadata: { annotations: { "pintle.dev/paused": "true" } }, spec: { text: "two" } } });
  await shared.settled();
  expect(drops("paused")).toMatchObject([{ key: "paused/a", run: (runs().at(-1) as { readonly id: string }).id }]);
});

test("a commit in a namespace that the controller does not watch is a drop, where the API server is recorded", async () => {
  const recorder = shared.recorder!;
  await startRecorded("watched", { ...copyText, name: "one-namespace" }, { recorder });
  await client.create(Namespace, { metadata: { name: "elsewhere" } });
  const { metadata } = await createNote("elsewhere");
  await shared.settled();
  const facts = recorder.facts().filter((fact) => fact.type === "drop" && fact.controller === "one-namespace" && fact.key !== undefined);
  expect(facts).toMatchObject([
    {
      reason: "other namespace",
      key: "elsewhere/a",
      cause: { object: { kind: "Note", uid: metadata.uid, resourceVersion: metadata.resourceVersion } },
    },
  ]);
});

test("an event at a replica that does not lead is a drop", async () => {
  const leaderElection = { name: "copy", namespace: "standby" };
  const leader = await startRecorded("standby", copyText, { leaderElection });
  const recorder = createFlightRecorder({ clock: shared.clock });
  const standby = startManager({
    controllers: [copyText],
    namespaces: ["standby"],
    client: shared.client(),
    clock: shared.clock,
    logger: silentLogger,
    leaderElection: { ...leaderElection, identity: "standby" },
    recorder,
  });
  onTestFinished(() => standby.stop());
  await shared.settled();
  expect([leader.manager.isLeading, standby.isLeading]).toEqual([true, false]);
  const { metadata } = await createNote("standby");
  await shared.settled();
  const drops = recorder.facts().filter((fact) => fact.type === "drop" && fact.reason === "not leading");
  expect(drops.slice(0, 1)).toMatchObject([
    { key: "standby/a", cause: { event: "added", object: { resourceVersion: metadata.resourceVersion } } },
  ]);
  expect(recorder.facts().filter(({ type }) => type === "run")).toEqual([]);
  expect(leader.drops("not leading")).toEqual([]);
  expect(leader.runs()).not.toEqual([]);
});

test("a failed run is followed by a drop that says until when its key backs off", async () => {
  const notes = controller(Note, {
    name: "fails",
    reconcile() {
      throw new Error("no");
    },
  });
  const { drops, runs } = await startRecorded("backoff", notes);
  await createNote("backoff");
  await shared.settled();
  const [run] = runs() as unknown as readonly { readonly id: string; readonly time: number }[];
  const [first] = drops("backing off");
  expect(first).toMatchObject({ key: "backoff/a", run: run?.id, cause: { event: "retry", run: run?.id } });
  expect(first!.until).toBeGreaterThan(first!.time);
  const before = runs().length;
  await shared.advance(first!.until! - shared.clock.now());
  expect(runs().length).toBeGreaterThan(before);
  expect(drops("backing off").at(-1)!.until).toBeGreaterThan(first!.until!);
});

test("a version that is a cause of the next run already, from another event source, is a duplicate", async () => {
  // The same ConfigMaps as children, and by a label.
  const notes = controller(Note, {
    name: "twice",
    owns: [ConfigMap],
    watches: { labelled: { kind: ConfigMap, by: { label: "note" } } },
    needs: [allow(ConfigMap, "get")],
    reconcile: ({ object: { metadata, spec }, want }) =>
      want({
        children: {
          text: ConfigMap.desired({ metadata: { name: metadata.name, labels: { note: metadata.name } }, data: { text: spec.text } }),
        },
      }),
  });
  const { drops } = await startRecorded("duplicate", notes);
  await createNote("duplicate");
  await shared.settled();
  const { metadata } = await client.patch(ConfigMap, at("duplicate"), { merge: { data: { text: "changed" } } });
  await shared.settled();
  const ours = drops("duplicate").filter(({ cause }) => cause?.object?.resourceVersion === metadata.resourceVersion);
  expect(ours).toMatchObject([{ key: "duplicate/a", cause: { event: "modified", object: { kind: "ConfigMap" } } }]);
});
