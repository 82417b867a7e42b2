import { CANARY, CANARY_WIDGET, CONFIG_MAPS, CRDS, WIDGETS } from "./attack.ts";
import { widgets } from "./definitions.ts";
import type { Exchange } from "./exchange.ts";

/** What stands on a server while it is attacked. */
export async function layGround({ json }: Exchange): Promise<void> {
  await json("POST", CRDS, widgets);
  const isServed = async () => (await json("GET", WIDGETS)).kind === "WidgetList";
  while (!(await isServed())) await new Promise((resolve) => setTimeout(resolve, 20));
  await json("POST", CONFIG_MAPS, { metadata: { name: "canary" }, data: { value: "sings" } });
  const widget = { apiVersion: "hostile.example.com/v1", kind: "Widget", metadata: { name: "canary" }, spec: { size: 1 } };
  await json("POST", WIDGETS, widget);
}

/** What must be there afterwards, whatever happened. */
export async function canaries({ json }: Exchange) {
  const [config, widget] = await Promise.all([json("GET", CANARY), json("GET", CANARY_WIDGET)]);
  return { config: config.data?.value as unknown, widget: widget.spec?.size as unknown };
}
