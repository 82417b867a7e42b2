/** Upgrades from one minor version of etcd to the next, with two etcd binaries. */
import { hasCondition } from "pintle/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EtcdCluster } from "../../examples/etcd/src/etcd-cluster.ts";
import { full } from "../sampling.ts";
import { backends, createEnvironment, type EtcdEnvironment, isSupported, namespace, versions, within } from "./environment.ts";
import type { EtcdWriter } from "./writer.ts";

const ref = { name: "older", namespace };
const NOWHERE = `3.${Number(versions.old.split(".")[1]) + 1}.999`;

describe.skipIf(!full || !isSupported).each(backends)("an upgrade, %s", { timeout: 300_000 }, (ground) => {
  let env: EtcdEnvironment;
  let writing: EtcdWriter;
  const to = (version: string) => env.client.patch(EtcdCluster, ref, { merge: { spec: { version } } });
  const isDegraded = (reason: string) => (object: EtcdCluster) =>
    object.status?.conditions?.some(({ type, status, reason: why }) => type === "Degraded" && status === "True" && why === reason) === true;
  const versionsOf = ({ status }: EtcdCluster) => status?.members?.map(({ version }) => version);

  beforeAll(async () => {
    env = await createEnvironment({ ground });
    await env.startOperator();
    await env.client.apply(EtcdCluster, { metadata: ref, spec: { size: 3, version: versions.old, replaceAfterSeconds: 10 } });
    const settled = await env.settled("older");
    expect(versionsOf(settled)).toEqual([versions.old, versions.old, versions.old]);
    writing = await env.startWriter("older");
  }, within.timeout);
  afterAll(() => env?.stop());

  it("by two minor versions is refused, and no pod changes", async () => {
    await to("3.9.0");
    const { status } = await env.client.waitFor(EtcdCluster, ref, isDegraded("UpgradeRefused"), within);
    expect(status?.members?.map(({ name }) => name)).toEqual(["older-1", "older-2", "older-3"]);
    expect(status?.version).toBe(versions.old);
    await writing.progress(5);
  });

  it("to a version that does not start is halted after the first member, which is not the leader", async () => {
    const before = await env.client.get(EtcdCluster, ref);
    await to(NOWHERE);
    const { status } = await env.client.waitFor(EtcdCluster, ref, isDegraded("UpgradeHalted"), within);
    const away = status?.members?.filter(({ healthy }) => !healthy);
    expect(away).toHaveLength(1);
    expect(away?.[0]?.name).not.toBe(before.status?.leader);
    expect(hasCondition("Available")(await env.client.get(EtcdCluster, ref))).toBe(true);
    await writing.progress(20);
  });

  it("can be rolled back while it is halted", async () => {
    await to(versions.old);
    const settled = await env.settled("older");
    expect(versionsOf(settled)).toEqual([versions.old, versions.old, versions.old]);
    expect(settled.status?.members?.map(({ name }) => name)).toEqual(["older-1", "older-2", "older-3"]);
  });

  it("upgrades one member at a time, the leader last, without data loss", async () => {
    const { status: before } = await env.client.get(EtcdCluster, ref);
    const order: string[] = [];
    const stopping = new AbortController();
    const watching = (async () => {
      for await (const event of env.client.watch(EtcdCluster, { namespace, signal: stopping.signal }))
        if ("object" in event)
          for (const { name, version } of (event.object as EtcdCluster).status?.members ?? [])
            if (version === versions.new && !order.includes(name)) order.push(name);
    })().catch(() => {});
    await to(versions.new);
    const settled = await env.settled("older");
    stopping.abort();
    await watching;
    expect(versionsOf(settled)).toEqual([versions.new, versions.new, versions.new]);
    expect(settled.status?.members?.map(({ name }) => name)).toEqual(["older-1", "older-2", "older-3"]);
    expect(order.at(-1)).toBe(before?.leader);
    await writing.progress(20);
    expect((await writing.check()).missing).toEqual([]);
    expect(writing.unread).toEqual([]);
  });

  it("cannot be rolled back once all members are upgraded", async () => {
    await to(versions.old);
    await env.client.waitFor(EtcdCluster, ref, isDegraded("UpgradeRefused"), within);
    await to(versions.new);
    await env.settled("older");
  });
});
