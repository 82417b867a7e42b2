import type { Client } from "pintle/client";
import { checkRoundTrips } from "pintle/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Memcached } from "../src/memcached.ts";
import { type StartedOperator, startOperator } from "./start-operator.ts";

const { v1alpha1 } = Memcached.at;
const ref = { name: "old", namespace: "default" };

test("converts between the versions without loss", () => {
  expect(checkRoundTrips(Memcached)).toEqual([]);
});

describe("on a cluster", { timeout: 120_000 }, () => {
  let here: StartedOperator;
  let client: Client;
  beforeAll(async () => {
    here = await startOperator();
    client = here.client;
  }, 120_000);
  afterAll(() => here?.stop());

  test("returns an object in either version", async () => {
    await client.apply(v1alpha1, { metadata: ref, spec: { size: 2, containerPort: 12_000 } });
    expect((await client.get(Memcached, ref)).spec).toEqual({ size: 2, image: "memcached:1.6-alpine", port: 12_000 });
    await client.patch(Memcached, ref, { merge: { spec: { port: 13_000 } } });
    expect((await client.get(v1alpha1, ref)).spec).toMatchObject({ size: 2, containerPort: 13_000 });
  });

  test("has the same status and scale in both versions", async () => {
    const ready = ({ status }: Memcached) => status?.ready === 2;
    const { status } = await client.waitFor(Memcached, ref, ready, { timeout: 60_000 });
    expect((await client.get(v1alpha1, ref)).status).toMatchObject({ nodes: status?.nodes, selector: status?.selector });
    expect(await client.scale.get(v1alpha1, ref)).toMatchObject({ spec: { replicas: 2 } });
  });

  test("applies the validation of the newer version to the older one", async () => {
    const wrong = client.apply(v1alpha1, { metadata: { ...ref, name: "wrong" }, spec: { containerPort: 80 } });
    await expect(wrong).rejects.toThrow(/spec\.containerPort.*greater than or equal to 1024/);
  });
});
