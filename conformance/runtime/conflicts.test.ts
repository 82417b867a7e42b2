import { controller, createLogger, defineResource, type ObjectOf, startManager, z } from "pintle";
import type { Client } from "pintle/client";
import { ConfigMap, Event } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EMBEDDED_SERVER, install, REAL_SERVER, type RuntimeServer } from "./servers.ts";

const Site = defineResource({
  group: "conflicts.example.com",
  version: "v1",
  kind: "Site",
  spec: z.object({ refs: z.array(z.string()).default([]), tier: z.string().optional() }),
  status: z.object({ found: z.array(z.string()).optional(), owner: z.string().optional(), left: z.string().optional() }),
  conditions: ["Applied"],
});
type Site = ObjectOf<typeof Site>;
const Tenant = defineResource({
  group: "conflicts.example.com",
  version: "v1",
  kind: "Tenant",
  scope: "Cluster",
  spec: z.object({ refs: z.array(z.string()) }),
  status: z.object({ found: z.array(z.string()) }),
});

/** Two controllers that set one field of one child to different values. */
const fighters = ["left", "right"].map((name) =>
  controller(Site, {
    name,
    owns: [ConfigMap],
    reconcile({ object, want }) {
      if (object.metadata.name === "status") return want({ status: { owner: name, ...(name === "left" && { left: "own" }) } });
      if (object.metadata.name === "shared") return want({ status: { [name === "left" ? "left" : "owner"]: object.spec.tier } });
      if (object.metadata.name !== "fight") return;
      return want({ children: { map: ConfigMap.desired({ metadata: { name: "contested" }, data: { v: name, [name]: "own" } }) } });
    },
  }),
);
const formatRefs = (objects: readonly ConfigMap[]) => objects.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).sort();
const sites = controller(Site, {
  name: "sites",
  watches: {
    named: { kind: ConfigMap, by: { name: (site) => site.spec.refs } },
    selected: {
      kind: ConfigMap,
      by: { selector: ({ spec }) => (spec.tier === undefined ? undefined : { matchLabels: { tier: spec.tier } }), namespaces: "all" },
    },
  },
  reconcile({ object, related, want }) {
    if (object.metadata.name !== "a") return;
    return want({ status: { found: [...formatRefs(related.named), ...formatRefs(related.selected)] } });
  },
});
const tenants = controller(Tenant, {
  watches: { maps: { kind: ConfigMap, by: { name: (tenant) => tenant.spec.refs } } },
  reconcile: ({ related, want }) => want({ status: { found: formatRefs(related.maps) } }),
});

describe.each([REAL_SERVER, EMBEDDED_SERVER])("on %s", (_, begin) => {
  let server: RuntimeServer;
  let client: Client;
  let manager: ReturnType<typeof startManager>;
  const lines: any[] = [];
  beforeAll(async () => {
    server = await begin();
    client = await server.connect();
    await install(client, Site);
    await install(client, Tenant);
    const logger = createLogger({ write: (line) => lines.push(JSON.parse(line)) });
    manager = startManager({ controllers: [...fighters, sites, tenants], client: await server.connect(), logger });
    await manager.ready;
  });
  afterAll(async () => {
    await manager?.stop();
    await client?.close();
    await server?.stop();
  });
  const within = { timeout: 20_000 };
  const map = (name: string, namespace: string, labels = {}) =>
    client.apply(ConfigMap, { metadata: { name, namespace, labels } }, { fieldManager: "test" });

  test("two controllers that set one field back off, and the object names both managers and the field", async () => {
    const ref = { name: "fight", namespace: "default" };
    await client.create(Site, { metadata: ref, spec: {} });
    const { status } = await client.waitFor(
      Site,
      ref,
      (site) => site.status?.conditions?.some(({ type }) => type === "Conflict") ?? false,
      within,
    );
    const { message } = status!.conditions!.find(({ type }) => type === "Conflict")!;
    const [name, other] = message.startsWith("left") ? ["left", "right"] : ["right", "left"];
    expect(message).toBe(
      `${name}: conflict: field manager "${other}" keeps changing ConfigMap default/contested at .data.v, which this controller sets as field manager "${name}"`,
    );
    await expect
      .poll(async () => (await client.list(Event, { namespace: "default" })).items.filter(({ reason }) => reason === "Conflict"), within)
      .toContainEqual(expect.objectContaining({ type: "Warning", message }));
    expect(lines.filter((line) => line.level === "error")).toEqual([]);
    const writes = () => lines.filter((line) => line.message.startsWith("Reconciled") && JSON.stringify(line).includes("contested")).length;
    expect(writes()).toBeLessThan(15);
  });

  test("two controllers that set one field of the status back off, and the object names both managers and the field", async () => {
    const ref = { name: "status", namespace: "default" };
    await client.create(Site, { metadata: ref, spec: {} });
    const conflictOf = (site: Site) => site.status?.conditions?.find(({ type }) => type === "Conflict")?.message;
    const found = await client.waitFor(Site, ref, (site) => conflictOf(site) !== undefined, within);
    const message = conflictOf(found)!;
    const [name, other] = message.startsWith("left") ? ["left", "right"] : ["right", "left"];
    expect(message).toBe(
      `${name}: conflict: field manager "${other}" keeps changing Site default/status at .status.owner, which this controller sets as field manager "${name}"`,
    );
    await expect
      .poll(async () => (await client.list(Event, { namespace: "default" })).items.map((event) => event.message), within)
      .toContain(message);
    expect((await client.get(Site, ref)).status?.left).toBe("own");
    const writes = () => lines.filter((line) => line.message === "Reconciled" && line.object === "default/status").length;
    expect(writes()).toBeLessThan(25);
    expect(lines.filter((line) => line.level === "error")).toEqual([]);
  });

  test("two controllers that set different fields of the status settle, and remove only their own", async () => {
    const ref = { name: "shared", namespace: "default" };
    await client.create(Site, { metadata: ref, spec: { tier: "web" } });
    const { status } = await client.waitFor(Site, ref, ({ status }) => status?.left === "web" && status.owner === "web", within);
    expect(status?.conditions ?? []).toEqual([]);
    await client.patch(Site, ref, { merge: { spec: { tier: null } } });
    await client.waitFor(Site, ref, ({ status }) => status?.left === undefined && status?.owner === undefined, within);
    const writes = lines.filter((line) => line.message === "Reconciled" && line.object === "default/shared").length;
    expect(writes).toBeLessThan(15);
    expect(lines.filter((line) => line.level === "error")).toEqual([]);
  });

  test("references across namespaces, from cluster-scoped objects and by selector are listed and enqueue", async () => {
    const ref = { name: "a", namespace: "default" };
    await client.create(Site, { metadata: ref, spec: { refs: ["x", "kube-system/y"], tier: "web" } });
    await client.create(Tenant, { metadata: { name: "t" }, spec: { refs: ["x", "kube-system/y"] } });
    const siteOf = async () => (await client.get(Site, ref)).status?.found;
    const tenantOf = async () => (await client.get(Tenant, { name: "t" })).status?.found;
    await expect.poll(siteOf, within).toEqual([]);
    for (const namespace of ["default", "kube-system"]) for (const name of ["x", "y"]) await map(name, namespace);
    await map("selected", "kube-public", { tier: "web" });
    await expect.poll(siteOf, within).toEqual(["default/x", "kube-system/y", "kube-public/selected"]);
    await expect.poll(tenantOf, within).toEqual(["default/x", "kube-system/x", "kube-system/y"]);
    await map("selected", "kube-public", { tier: "db" });
    await client.delete(ConfigMap, { name: "x", namespace: "kube-system" });
    await expect.poll(siteOf, within).toEqual(["default/x", "kube-system/y"]);
    await expect.poll(tenantOf, within).toEqual(["default/x", "kube-system/y"]);
  });
});
