import { logLines, start } from "pintle";
import type { Client } from "pintle/client";
import { Deployment } from "pintle/kinds/apps/v1";
import { ConfigMap, Service } from "pintle/kinds/core/v1";
import { systemClock } from "pintle/queue";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Bundle, bundle, childrenOf } from "./bundle.ts";
import { counted } from "./counted.ts";
import { install, real, type Server } from "./servers.ts";

describe.each([real])("on %s", (_, begin) => {
  let server: Server;
  let client: Client;
  beforeAll(async () => {
    server = await begin();
    client = await server.connect();
    await install(client, Bundle);
  });
  afterAll(async () => {
    await client?.close();
    await server?.stop();
  });

  const ref = { name: "bundle", namespace: "default" };
  async function operator() {
    const { client: counting, writes } = counted(await server.connect());
    const lines: any[] = [];
    const logger = logLines({ clock: systemClock, level: "debug", write: (line) => lines.push(JSON.parse(line)) });
    const manager = start({ controllers: [bundle], client: counting, logger });
    await manager.ready;
    return { manager, writes, lines };
  }
  const settled = (label: string) =>
    client.wait(Bundle, ref, (it) => it.status?.observedGeneration === it.metadata.generation && it.spec.poke === label, {
      timeout: 60_000,
    });
  async function poke(label: string): Promise<void> {
    await client.patch(Bundle, ref, { merge: { spec: { poke: label } } });
    await settled(label);
  }

  test("better 9 every kind settles: no request for a settled object, also after a restart; a dropped field goes", async () => {
    const count = childrenOf("x", false).length;
    expect(count).toBeGreaterThanOrEqual(25);
    const first = await operator();
    await client.apply(Bundle, { metadata: ref, spec: { extra: true, poke: "0" } });
    await settled("0");
    const rewritten = first.lines
      .filter((line) => line.message.startsWith("the server keeps"))
      .map((line) => `${line.child}: ${line.fields.join(" ")}`);
    console.log(`${first.writes.length} writes for ${count} kinds; kept otherwise:\n${rewritten.join("\n")}`);
    expect(first.lines.filter((line) => line.level === "error")).toEqual([]);

    // A change of the spec that children do not depend on: only the status is written, for its observedGeneration.
    await poke("all of it");
    first.writes.length = 0;
    for (let i = 1; i <= 30; i++) await poke(String(i));
    expect(first.writes.filter((line) => !line.startsWith("status "))).toEqual([]);
    await first.manager.stop();

    const second = await operator();
    await poke("again");
    expect(second.writes.filter((line) => !line.startsWith("status "))).toEqual([]);

    // Foreign labels are none of our business; a foreign change to our field is undone with one request.
    await client.patch(Service, ref, { merge: { metadata: { labels: { theirs: "yes" } } } });
    await client.patch(ConfigMap, ref, { merge: { data: { b: "changed" } } });
    await client.wait(ConfigMap, ref, (it) => it.data?.["b"] === "x", { timeout: 20_000 });
    await poke("more");
    expect(second.writes.filter((line) => !line.startsWith("status "))).toEqual(["apply configmaps default/bundle"]);

    // A field that is no longer wanted is removed.
    second.writes.length = 0;
    await client.patch(Bundle, ref, { merge: { spec: { extra: false } } });
    await client.wait(Deployment, ref, (it) => (it.spec.minReadySeconds ?? 0) === 0, { timeout: 20_000 });
    await poke("less");
    expect((await client.get(ConfigMap, ref)).metadata.annotations?.["example.com/extra"]).toBeUndefined();
    expect((await client.get(Service, ref)).metadata.labels).toMatchObject({ theirs: "yes" });
    expect(second.writes.filter((line) => !line.startsWith("status ")).sort()).toEqual([
      "apply configmaps default/bundle",
      // What the server does not keep as it is wanted costs a second request per change.
      "apply deployments default/bundle",
      "apply deployments default/bundle",
      "apply services default/bundle",
    ]);
    expect(second.lines.filter((line) => line.level === "error")).toEqual([]);
    await second.manager.stop();
  });
});
