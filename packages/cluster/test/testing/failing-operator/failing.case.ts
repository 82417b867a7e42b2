import { allow, controller, defineResource, defineUntypedKind, webhook, z } from "pintle";
import type { Client } from "pintle/client";
import { ConfigMap, Secret } from "pintle/kinds/core/v1";
import { virtualClock } from "pintle/testing";
import { expect } from "vitest";
import { clusterTest } from "../../../src/vitest/index.ts";

const Note = defineResource({ group: "test.example.com", version: "v1", kind: "Note", spec: z.object({ text: z.string() }) });

const buggy = controller(Note, {
  reconcile({ object }) {
    (object as unknown as { missing: { length: number } }).missing.length;
  },
});
const withBug = clusterTest({ operator: { controllers: [buggy] } });
withBug("a programming error in reconcile", async ({ cluster, client, namespace }) => {
  await client.create(Note, { metadata: { name: "a", namespace }, spec: { text: "" } });
  await cluster.settled();
});

const undeclared = controller(Note, {
  needs: [allow(ConfigMap, "get")],
  async reconcile({ client, object }) {
    // The types refuse this without a cast.
    await (client as unknown as Client).create(Secret, { metadata: { name: "a", namespace: object.metadata.namespace! } });
  },
});
const withoutPermission = clusterTest({ operator: { controllers: [undeclared] } });
withoutPermission("a permission that is not declared", async ({ cluster, client, namespace }) => {
  await client.create(Note, { metadata: { name: "a", namespace }, spec: { text: "" } });
  await cluster.settled();
  expect(await client.find(Secret, { name: "a", namespace })).toBeDefined();
});

const throwing = webhook(Note, {
  validate() {
    throw new Error("the list of words is missing");
  },
});
const withWebhook = clusterTest({ operator: { webhooks: [throwing] } });
withWebhook("a webhook that throws", async ({ client, namespace }) => {
  await client.create(Note, { metadata: { name: "a", namespace }, spec: { text: "" } });
});

const withoutNames = clusterTest({ operator: { controllers: [buggy, buggy] } });
withoutNames("an operator that cannot start", async ({ client }) => {
  await client.list(Note);
});

const Gadget = defineUntypedKind({ group: "missing.example.com", version: "v1", kind: "Gadget", plural: "gadgets", scope: "Namespaced" });
const waiting = controller(Note, { owns: [Gadget], reconcile() {} });
const withoutKind = clusterTest({ operator: { controllers: [waiting] }, clock: virtualClock() });
withoutKind("an operator that waits for a kind that is not installed", async ({ client }) => {
  await client.list(Note);
});

const endless = controller(Note, { reconcile: () => new Promise<void>(() => {}) });
const withEndless = clusterTest({ operator: { controllers: [endless] }, clock: virtualClock() });
withEndless("a reconciliation that still runs", async ({ client, namespace }) => {
  await client.create(Note, { metadata: { name: "a", namespace }, spec: { text: "" } });
});
