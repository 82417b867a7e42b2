/** What heals without anybody's doing. */
import { setTimeout as delay } from "node:timers/promises";
import { Pod } from "pintle/kinds/core/v1";
import { Event } from "pintle/kinds/events/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call } from "../../examples/etcd/src/call.ts";
import { EtcdCluster } from "../../examples/etcd/src/etcd-cluster.ts";
import { type Gateway, gateway } from "../../examples/etcd/src/gateway.ts";
import { endpointsOf } from "../../examples/etcd/src/observe.ts";
import { full } from "../sampling.ts";
import { grounds, isPossible, namespace, type Stage, stage, versions, within } from "./stage.ts";

const ref = { name: "pilot", namespace };
const AGAIN = 200;
const MIB = 1024 * 1024;
const LARGE = Buffer.alloc(MIB, "x").toString("base64");

describe.skipIf(!full || !isPossible).each(grounds)("an etcd cluster that is left alone, %s", { timeout: 300_000 }, (ground) => {
  let on: Stage;
  const { signal } = new AbortController();
  const endpoints = async () => endpointsOf(await on.client.get(EtcdCluster, ref), (await on.client.list(Pod, { namespace })).items);
  const etcd = async (): Promise<Gateway> => gateway({ call, endpoints: await endpoints(), signal });
  /** False: there is no room. */
  async function put(): Promise<boolean> {
    const [endpoint] = await endpoints();
    const body = { key: Buffer.from("large").toString("base64"), value: LARGE };
    const answer = await call({ endpoint: endpoint!, path: "kv/put", body, patience: 30_000, signal });
    if (!answer.ok && !JSON.stringify(answer.body).includes("space")) throw new Error(JSON.stringify(answer.body));
    return answer.ok;
  }
  const sizes = async () => {
    const members = await etcd();
    return Promise.all((await endpoints()).map(async ({ member }) => (await members.report(member)).size));
  };
  const said = async (text: RegExp) => {
    const isIt = ({ regarding, note }: Event) => regarding?.name === "pilot" && text.test(note ?? "");
    return (await on.client.list(Event, { namespace })).items.filter(isIt);
  };
  /** etcd tells nobody: it has to be asked. */
  async function until(isSo: () => Promise<boolean>): Promise<void> {
    while (!(await isSo().catch(() => false))) await delay(AGAIN);
  }

  beforeAll(async () => {
    on = await stage({ ground });
    await on.operate();
    await on.client.apply(EtcdCluster, { metadata: ref, spec: { size: 3, version: versions.new, quotaMegabytes: 16 } });
    await on.settled("pilot");
  }, within.timeout);
  afterAll(() => on?.stop());

  it("makes room when there is none", async () => {
    while (await put());
    expect(await (await etcd()).full()).not.toEqual([]);
    await until(async () => (await (await etcd()).full()).length === 0);
    expect(await put()).toBe(true);
    expect(await said(/there was no room/)).not.toEqual([]);
    expect((await on.client.get(EtcdCluster, ref)).metadata.generation).toBe(1);
    expect((await on.settled("pilot")).status?.members?.map(({ name }) => name)).toEqual(["pilot-1", "pilot-2", "pilot-3"]);
  });

  it("takes a larger quota to all members, one at a time", async () => {
    await on.client.patch(EtcdCluster, ref, { merge: { spec: { quotaMegabytes: 64 } } });
    await on.settled("pilot");
    for (const { spec } of (await on.client.list(Pod, { namespace })).items)
      expect(spec.containers[0]?.args).toContain(`--quota-backend-bytes=${64 * MIB}`);
    expect((await on.settled("pilot")).status?.members?.map(({ name }) => name)).toEqual(["pilot-1", "pilot-2", "pilot-3"]);
  });

  it("defragments what has become empty", async () => {
    for (let i = 0; i < 20; i++) expect(await put()).toBe(true);
    // A member notices what has become free when it writes again.
    const writing = await on.write("pilot");
    const before = Math.min(...(await sizes()));
    expect(before).toBeGreaterThan(16 * MIB);
    const [first] = await endpoints();
    const members = await etcd();
    await members.compact((await members.report(first!.member)).revision);
    await until(async () => (await sizes()).every((size) => size < before / 2));
    expect((await said(/is defragmented/)).length).toBeGreaterThan(0);
    expect((await writing.check()).missing).toEqual([]);
  });
});
