import { widgets } from "./definitions.ts";
import { CANARY, CANARY_WIDGET, CONFIG_MAPS, CRDS, WIDGETS } from "./hostile-request.ts";
import type { RawClient } from "./raw-client.ts";

/** Creates the objects that exist while the server gets hostile requests. */
export async function createFixtures({ json }: RawClient): Promise<void> {
  await json("POST", CRDS, widgets);
  const isServed = async () => (await json("GET", WIDGETS)).kind === "WidgetList";
  while (!(await isServed())) await new Promise((resolve) => setTimeout(resolve, 20));
  await json("POST", CONFIG_MAPS, { metadata: { name: "canary" }, data: { value: "sings" } });
  const widget = { apiVersion: "hostile.example.com/v1", kind: "Widget", metadata: { name: "canary" }, spec: { size: 1 } };
  await json("POST", WIDGETS, widget);
}

/** Reads the objects that must be unchanged afterwards. */
export async function readCanaries({ json }: RawClient) {
  const [config, widget] = await Promise.all([json("GET", CANARY), json("GET", CANARY_WIDGET)]);
  return { config: config.data?.value as unknown, widget: widget.spec?.size as unknown };
}
