import { silentLogger, startManager } from "pintle";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { expect } from "vitest";
import { clusterTest } from "../../../src/vitest/index.ts";
import { Widget, widgets } from "./widget.ts";

const test = clusterTest({ setup: ({ client }) => client.create(CustomResourceDefinition, Widget.crd()) });

test("a widget becomes ready", async ({ cluster, client }) => {
  const operator = startManager({ controllers: [widgets], client, logger: silentLogger });
  await operator.ready;
  await client.apply(Widget, { metadata: { name: "a", namespace: "default" }, spec: { size: 2 } });
  await cluster.settled();
  expect((await client.get(Widget, { name: "a", namespace: "default" })).status?.ready).toBe(2);
  await operator.stop();
});
