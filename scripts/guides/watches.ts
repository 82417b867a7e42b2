import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { ConfigMap, Namespace, Node, Pod, Secret } from "pintle/kinds/core/v1";
import { expect } from "vitest";
import type { Check } from "./start-guide.ts";

const pod = { spec: { containers: [{ name: "main", image: "a" }] } };

/** The checks of docs/controllers.md about watched kinds. */
export const watchChecks: { readonly [id: string]: Check } = {
  "controllers.md#react-to-an-object-that-the-spec-names": async ({
    snippet: { mail },
    start,
    create,
    find,
    change,
    remove,
    condition,
  }) => {
    await start(mail);
    await create(mail.kind, "a", { spec: { credentials: "smtp" } });
    expect(await condition(mail.kind, "a", "Ready")).toBe("False SecretMissing: waiting for Secret smtp");
    await create(Secret, "other", {});
    await create(Secret, "smtp", {});
    expect(await condition(mail.kind, "a", "Ready")).toBe("True Configured: ");
    await change(Secret, "smtp", { stringData: { password: "b" } });
    expect((await find(ConfigMap, "a")).data.version).toBe((await find(Secret, "smtp")).metadata.resourceVersion);
    await remove(Secret, "smtp");
    expect(await condition(mail.kind, "a", "Ready")).toContain("SecretMissing");
  },
  "controllers.md#react-to-objects-that-name-the-primary-object": async ({ snippet: { team }, start, create, find, change, client }) => {
    await client.create(Namespace, { metadata: { name: "other" } });
    await start(team);
    const { metadata } = await create(team.kind, "blue", { spec: {} });
    await create(team.kind, "red", { spec: {} });
    await create(Pod, "p", pod, { labels: { "example.com/team": "blue" } });
    await create(ConfigMap, "c", {}, { annotations: { "example.com/team": "blue" } });
    await create(ConfigMap, "c", {}, { namespace: "other", annotations: { "example.com/team": "default/blue" } });
    const owner = { apiVersion: "example.com/v1", kind: "Team", name: "blue", uid: metadata.uid };
    await create(Secret, "s", {}, { ownerReferences: [owner] });
    expect((await find(team.kind, "blue")).status).toEqual({ pods: 1, documents: 2, secrets: 1 });
    await change(Pod, "p", { metadata: { labels: { "example.com/team": "red" } } });
    expect((await find(team.kind, "blue")).status.pods).toBe(0);
    expect((await find(team.kind, "red")).status.pods).toBe(1);
  },
  "controllers.md#react-to-objects-that-a-selector-matches": async ({ snippet: { budget }, start, create, find, change, client }) => {
    await client.create(Namespace, { metadata: { name: "other" } });
    await start(budget);
    await create(budget.kind, "a", { spec: { selector: { app: "web" } } });
    await create(Pod, "p", pod, { labels: { app: "web" } });
    await create(Pod, "p", pod, { namespace: "other", labels: { app: "web" } });
    expect((await find(budget.kind, "a")).status).toEqual({ here: 1, everywhere: 0 });
    await change(budget.kind, "a", { spec: { everywhere: true } });
    expect((await find(budget.kind, "a")).status).toEqual({ here: 1, everywhere: 2 });
    await change(Pod, "p", { metadata: { labels: { app: "api" } } });
    expect((await find(budget.kind, "a")).status).toEqual({ here: 0, everywhere: 1 });
  },
  "controllers.md#react-to-objects-through-a-function": async ({ snippet: { rack }, start, create, find, change, lines }) => {
    await start(rack);
    await create(rack.kind, "a", { spec: {} });
    await create(Node, "n", {}, { labels: { "example.com/rack": "default.a" } });
    expect((await find(rack.kind, "a")).status.nodes).toEqual(["n"]);
    lines.length = 0;
    await change(Node, "n", { metadata: { annotations: { heartbeat: "1" } } });
    expect(lines.filter(({ message }) => message === "Reconciled")).toEqual([]);
    await change(Node, "n", { metadata: { labels: { "example.com/rack": null } } });
    expect((await find(rack.kind, "a")).status.nodes).toEqual([]);
  },
  "controllers.md#kinds-that-may-be-missing": async ({ snippet: { api }, start, create, find, cluster, client, lines }) => {
    await start(api);
    await create(api.kind, "a", { spec: {} });
    expect(lines.filter(({ level }) => level === "error")).toEqual([]);
    const [monitor] = api.owns;
    const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
    await client.create(CustomResourceDefinition, {
      metadata: { name: `${monitor.plural}.${monitor.group}` },
      spec: {
        group: monitor.group,
        scope: "Namespaced",
        names: { kind: monitor.kind, plural: monitor.plural },
        versions: [{ name: "v1", served: true, storage: true, schema }],
      },
    });
    await cluster.settled();
    await cluster.advance(60_000);
    await cluster.settled();
    expect(await find(monitor, "a")).toBeDefined();
  },
};
