import type { Client } from "pintle/client";
import { roundTrips } from "pintle/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Memcached } from "../src/memcached.ts";
import { type Started, started } from "./started.ts";

const { v1alpha1 } = Memcached.at;
const ref = { name: "old", namespace: "default" };

test("nothing is lost on the way between the versions", () => {
  expect(roundTrips(Memcached)).toEqual([]);
});

describe("on a cluster", { timeout: 120_000 }, () => {
  let here: Started;
  let client: Client;
  beforeAll(async () => {
    here = await started();
    client = here.client;
  }, 120_000);
  afterAll(() => here?.stop());

  test("what is written in one version is read in the other", async () => {
    await client.apply(v1alpha1, { metadata: ref, spec: { size: 2, containerPort: 12_000 } });
    expect((await client.get(Memcached, ref)).spec).toEqual({ size: 2, image: "memcached:1.6-alpine", port: 12_000 });
    await client.patch(Memcached, ref, { merge: { spec: { port: 13_000 } } });
    expect((await client.get(v1alpha1, ref)).spec).toMatchObject({ size: 2, containerPort: 13_000 });
  });

  test("the status is the same in both, and so is the scale", async () => {
    const ready = ({ status }: Memcached) => status?.ready === 2;
    const { status } = await client.wait(Memcached, ref, ready, { timeout: 60_000 });
    expect((await client.get(v1alpha1, ref)).status).toMatchObject({ nodes: status?.nodes, selector: status?.selector });
    expect(await client.scale.get(v1alpha1, ref)).toMatchObject({ spec: { replicas: 2 } });
  });

  test("a value that the newer version refuses is refused in the older one", async () => {
    const wrong = client.apply(v1alpha1, { metadata: { ...ref, name: "wrong" }, spec: { containerPort: 80 } });
    await expect(wrong).rejects.toThrow(/spec\.containerPort.*greater than or equal to 1024/);
  });
});
