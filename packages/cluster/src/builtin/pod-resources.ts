import type { Pod } from "pintle/kinds/core/v1";
import type { Unvalidated } from "./draft.ts";
import { addQuantities, compareQuantities } from "./quantities.ts";

type Quantities = Readonly<Record<string, string | null | undefined>> | null | undefined;

/**
 * Returns the requests or limits of a whole pod: the sum of containers and sidecars, or the largest need while an init
 * container runs, whichever is larger. Pod-level resources take precedence.
 */
export function sumPodResources({ spec }: Unvalidated<Pod>, list: "requests" | "limits"): Readonly<Record<string, string>> {
  let total: Record<string, string> = {};
  for (const { resources } of spec?.containers ?? []) total = addResources(total, resources?.[list]);
  let sidecars: Record<string, string> = {};
  let most: Record<string, string> = {};
  for (const { resources, restartPolicy } of spec?.initContainers ?? []) {
    const own = resources?.[list];
    if (restartPolicy === "Always") {
      total = addResources(total, own);
      sidecars = addResources(sidecars, own);
      most = maxResources(most, sidecars);
    } else most = maxResources(most, addResources(sidecars, own));
  }
  const stated = Object.entries(spec?.resources?.[list] ?? {}).filter(([name, value]) => value != null && /^(cpu|memory)$/.test(name));
  return { ...maxResources(total, most), ...Object.fromEntries(stated) } as Record<string, string>;
}

function addResources(a: Readonly<Record<string, string>>, b: Quantities): Record<string, string> {
  const all: Record<string, string> = { ...a };
  for (const [name, value] of Object.entries(b ?? {})) {
    if (value != null) all[name] = all[name] === undefined ? value : addQuantities(all[name], value);
  }
  return all;
}

function maxResources(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): Record<string, string> {
  const all: Record<string, string> = { ...a };
  for (const [name, value] of Object.entries(b)) {
    if (all[name] === undefined || compareQuantities(value, all[name]) > 0) all[name] = value;
  }
  return all;
}
