import { isDeepStrictEqual } from "node:util";
import type { Client } from "pintle/client";
import { Deployment } from "pintle/kinds/apps/v1";
import { Event, Pod } from "pintle/kinds/core/v1";
import { simulate } from "pintle/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LABEL } from "../src/deployment.ts";
import { Memcached, memcached } from "../src/memcached.ts";
import { type StartedOperator, startOperator } from "./start-operator.ts";

const within = { timeout: 60_000 };
const namespace = "default";
const ref = { name: "cache", namespace };
const CONTAINER = "/spec/template/spec/containers/0";
const replaced = (path: string, value: string | number | string[]) => ({ json: [{ op: "replace" as const, path, value }] });
const revision = ({ metadata }: Deployment) => Number(metadata.annotations?.["deployment.kubernetes.io/revision"]);
const container = (deployment?: Deployment) => deployment?.spec.template.spec?.containers[0];
const condition = ({ status }: Memcached, type: string) => status?.conditions?.find((each) => each.type === type);
const running = (size: number) => (object: Memcached) =>
  object.status?.nodes?.length === size &&
  object.status.observedGeneration === object.metadata.generation &&
  condition(object, "Available")?.status === "True" &&
  condition(object, "Progressing")?.status === "False";

describe("simulated, without an API server", () => {
  test("creates a Deployment with size, image and port, and a selector of its own", async () => {
    const spec = { size: 3, image: "memcached:1.6.40", port: 12_000 };
    const simulation = await simulate(memcached, [Memcached.desired({ metadata: ref, spec })]);
    const deployment = simulation.get(Deployment, ref);
    expect(deployment?.spec).toMatchObject({ replicas: 3, selector: { matchLabels: { [LABEL]: "cache" } } });
    expect(container(deployment)).toMatchObject({ image: "memcached:1.6.40", ports: [{ containerPort: 12_000 }] });
    expect(container(deployment)?.args).toContain("--port=12000");
  });

  test("is not Available without pods", async () => {
    const simulation = await simulate(memcached, [Memcached.desired({ metadata: ref, spec: { size: 2 } })]);
    const object = simulation.get(Memcached, ref)!;
    expect(condition(object, "Available")).toMatchObject({ status: "False", reason: "PodsMissing" });
    expect(condition(object, "Progressing")).toMatchObject({ status: "True", reason: "RollingOut" });
  });
});

describe("on a cluster", { timeout: 120_000 }, () => {
  let here: StartedOperator;
  let client: Client;
  beforeAll(async () => {
    here = await startOperator();
    client = here.client;
  }, 120_000);
  afterAll(() => here?.stop());

  const podsOf = async (name: string) => {
    const { items } = await client.list(Pod, { namespace, labels: { [LABEL]: name } });
    return items.map(({ metadata }) => metadata).filter(({ deletionTimestamp }) => deletionTimestamp === undefined);
  };
  const namesOf = async (name: string) => (await podsOf(name)).map((pod) => pod.name).sort();

  test("creates a Deployment and lists its pods in status.nodes", async () => {
    await client.apply(Memcached, { metadata: ref, spec: { size: 3 } });
    const { status } = await client.waitFor(Memcached, ref, running(3), within);
    expect(status).toMatchObject({ nodes: await namesOf("cache"), replicas: 3, ready: 3, selector: `${LABEL}=cache` });
    expect((await client.get(Deployment, ref)).spec.replicas).toBe(3);
  });

  test("scales up and down, also through the scale subresource", async () => {
    await client.scale.patch(Memcached, ref, { merge: { spec: { replicas: 5 } } });
    await client.waitFor(Memcached, ref, running(5), within);
    expect(await client.scale.get(Memcached, ref)).toMatchObject({ spec: { replicas: 5 }, status: { replicas: 5 } });
    await client.patch(Memcached, ref, { merge: { spec: { size: 2 } } });
    const { status } = await client.waitFor(Memcached, ref, running(2), within);
    expect(status?.nodes).toEqual(await namesOf("cache"));
  });

  test("replaces a deleted pod", async () => {
    const [victim = ""] = await namesOf("cache");
    await client.delete(Pod, { name: victim, namespace });
    const back = (object: Memcached) => running(2)(object) && !object.status?.nodes?.includes(victim);
    const { status } = await client.waitFor(Memcached, ref, back, within);
    expect(status?.nodes).toEqual(await namesOf("cache"));
  });

  test("rolls out a new image and port while it stays Available", async () => {
    const before = await client.waitFor(Memcached, ref, running(2), within);
    const first = revision(await client.get(Deployment, ref));
    await client.patch(Memcached, ref, { merge: { spec: { image: "memcached:1.6.40", port: 12_000 } } });
    const isReplaced = (object: Memcached) =>
      running(2)(object) && !object.status?.nodes?.some((name) => before.status?.nodes?.includes(name));
    const after = await client.waitFor(Memcached, ref, isReplaced, within);
    expect(condition(after, "Available")?.lastTransitionTime).toBe(condition(before, "Available")?.lastTransitionTime);
    const deployment = await client.get(Deployment, ref);
    expect(container(deployment)).toMatchObject({ image: "memcached:1.6.40", ports: [{ containerPort: 12_000 }] });
    expect(revision(deployment)).toBe(first + 1);
  });

  test.each([
    ["replicas", replaced("/spec/replicas", 7)],
    ["image", replaced(`${CONTAINER}/image`, "example.com/other:1")],
    ["port", replaced(`${CONTAINER}/ports/0/containerPort`, 9999)],
    ["arguments", replaced(`${CONTAINER}/args`, ["--version"])],
  ])("reverts a changed %s of the Deployment", async (_, change) => {
    const { spec, metadata } = await client.get(Deployment, ref);
    const changed = await client.patch(Deployment, ref, change);
    expect(changed.metadata.generation).toBeGreaterThan(metadata.generation ?? 0);
    const isRight = (deployment: Deployment) => isDeepStrictEqual(deployment.spec, spec);
    await client.waitFor(Deployment, ref, isRight, within);
    await client.waitFor(Memcached, ref, running(2), within);
  });

  test("never shares pods between two objects", async () => {
    const other = { name: "other", namespace };
    await client.apply(Memcached, { metadata: other, spec: { size: 2 } });
    const { status } = await client.waitFor(Memcached, other, running(2), within);
    expect(status?.nodes).toEqual(await namesOf("other"));
    expect((await client.waitFor(Memcached, ref, running(2), within)).status?.nodes).toEqual(await namesOf("cache"));
    await client.delete(Memcached, other);
  });

  test.each([
    ["size", { size: 12 }, /spec\.size.*less than or equal to 9/],
    ["port", { port: 80 }, /spec\.port.*greater than or equal to 1024/],
    ["image", { image: "" }, /spec\.image/],
  ])("rejects an invalid %s by field", async (_, spec, words) => {
    await expect(client.apply(Memcached, { metadata: { ...ref, name: "wrong" }, spec })).rejects.toThrow(words);
  });

  test("records an Event and deletes its children on deletion", async () => {
    const pods = await podsOf("cache");
    const { metadata } = await client.get(Memcached, ref);
    expect(metadata.finalizers).toHaveLength(1);
    await client.delete(Memcached, ref);
    await client.waitForDeletion(Memcached, ref, within);
    await client.waitForDeletion(Deployment, ref, within);
    for (const pod of pods) await client.waitForDeletion(Pod, pod, within);
    const eventsOf = async () =>
      (await client.list(Event, { namespace })).items.filter(({ involvedObject }) => involvedObject.uid === metadata.uid);
    await expect.poll(async () => (await eventsOf()).map(({ reason }) => reason), within).toContain("Deleting");
  });
});
