import { webhook } from "pintle";
import { expect } from "vitest";
import { clusterTest } from "../../../src/vitest/index.ts";
import { VersionedWidget, Widget, widgets } from "./widget.ts";

const widgetWebhook = webhook(Widget, {
  validate: ({ object }) => ((object?.spec.size ?? 0) > 10 ? [{ field: "spec.size", message: "must be at most 10" }] : []),
});

const test = clusterTest({ operator: { controllers: [widgets], webhooks: [widgetWebhook], resources: [VersionedWidget] } });

test("the webhook refuses a large widget", async ({ client, namespace }) => {
  const large = { metadata: { name: "large", namespace }, spec: { size: 100 } };
  await expect(client.create(Widget, large)).rejects.toThrow("must be at most 10");
});

test("a widget of the old version is converted", async ({ client, namespace }) => {
  await client.create(VersionedWidget.at.v1alpha1, { metadata: { name: "old", namespace }, spec: { count: 2 } });
  expect((await client.get(Widget, { name: "old", namespace })).spec).toEqual({ size: 2 });
});
