/** Self-healing: quota, alarms and defragmentation without manual action. */
import { setTimeout as delay } from "node:timers/promises";
import { Pod } from "pintle/kinds/core/v1";
import { Event } from "pintle/kinds/events/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EtcdCluster } from "../../examples/etcd/src/etcd-cluster.ts";
import { sendEtcdRequest } from "../../examples/etcd/src/etcd-request.ts";
import { createGateway, type Gateway } from "../../examples/etcd/src/gateway.ts";
import { listEndpoints } from "../../examples/etcd/src/observe.ts";
import { full } from "../sampling.ts";
import { backends, createEnvironment, type EtcdEnvironment, isSupported, namespace, versions, within } from "./environment.ts";

const ref = { name: "pilot", namespace };
const POLL_INTERVAL_MS = 200;
const MIB = 1024 * 1024;
const LARGE = Buffer.alloc(MIB, "x").toString("base64");

describe.skipIf(!full || !isSupported).each(backends)("an etcd cluster that is left alone, %s", { timeout: 300_000 }, (ground) => {
  let env: EtcdEnvironment;
  const { signal } = new AbortController();
  const endpoints = async () => listEndpoints(await env.client.get(EtcdCluster, ref), (await env.client.list(Pod, { namespace })).items);
  const etcd = async (): Promise<Gateway> => createGateway({ call: sendEtcdRequest, endpoints: await endpoints(), signal });
  /** Returns false when the quota is exceeded. */
  async function tryPut(): Promise<boolean> {
    const [endpoint] = await endpoints();
    const body = { key: Buffer.from("large").toString("base64"), value: LARGE };
    const answer = await sendEtcdRequest({ endpoint: endpoint!, path: "kv/put", body, timeoutMs: 30_000, signal });
    if (!answer.ok && !JSON.stringify(answer.body).includes("space")) throw new Error(JSON.stringify(answer.body));
    return answer.ok;
  }
  const sizes = async () => {
    const members = await etcd();
    return Promise.all((await endpoints()).map(async ({ member }) => (await members.status(member)).dbSizeBytes));
  };
  const findEvents = async (text: RegExp) => {
    const isMatch = ({ regarding, note }: Event) => regarding?.name === "pilot" && text.test(note ?? "");
    return (await env.client.list(Event, { namespace })).items.filter(isMatch);
  };
  /** etcd does not report alarms; they must be polled. */
  async function waitUntil(condition: () => Promise<boolean>): Promise<void> {
    while (!(await condition().catch(() => false))) await delay(POLL_INTERVAL_MS);
  }

  beforeAll(async () => {
    env = await createEnvironment({ ground });
    await env.startOperator();
    await env.client.apply(EtcdCluster, { metadata: ref, spec: { size: 3, version: versions.new, quotaMegabytes: 16 } });
    await env.settled("pilot");
  }, within.timeout);
  afterAll(() => env?.stop());

  it("compacts and defragments when the quota is exceeded", async () => {
    while (await tryPut());
    expect(await (await etcd()).outOfSpaceIds()).not.toEqual([]);
    await waitUntil(async () => (await (await etcd()).outOfSpaceIds()).length === 0);
    expect(await tryPut()).toBe(true);
    expect(await findEvents(/there was no room/)).not.toEqual([]);
    expect((await env.client.get(EtcdCluster, ref)).metadata.generation).toBe(1);
    expect((await env.settled("pilot")).status?.members?.map(({ name }) => name)).toEqual(["pilot-1", "pilot-2", "pilot-3"]);
  });

  it("rolls out a larger quota, one member at a time", async () => {
    await env.client.patch(EtcdCluster, ref, { merge: { spec: { quotaMegabytes: 64 } } });
    await env.settled("pilot");
    for (const { spec } of (await env.client.list(Pod, { namespace })).items)
      expect(spec.containers[0]?.args).toContain(`--quota-backend-bytes=${64 * MIB}`);
    expect((await env.settled("pilot")).status?.members?.map(({ name }) => name)).toEqual(["pilot-1", "pilot-2", "pilot-3"]);
  });

  it("defragments members with much free space", async () => {
    for (let i = 0; i < 20; i++) expect(await tryPut()).toBe(true);
    // A member updates its free space with the next write.
    const writing = await env.startWriter("pilot");
    const before = Math.min(...(await sizes()));
    expect(before).toBeGreaterThan(16 * MIB);
    const [first] = await endpoints();
    const members = await etcd();
    await members.compact((await members.status(first!.member)).revision);
    await waitUntil(async () => (await sizes()).every((size) => size < before / 2));
    expect((await findEvents(/is defragmented/)).length).toBeGreaterThan(0);
    expect((await writing.check()).missing).toEqual([]);
  });
});
