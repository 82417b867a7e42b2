import type { Pod } from "pintle/kinds/core/v1";
import type { Loose } from "../draft.ts";
import { addQuantities, compareQuantities } from "../text/quantities.ts";

type Quantities = Readonly<Record<string, string | null | undefined>> | null | undefined;

/**
 * What a pod asks for, or may use, as a whole: its containers and sidecars together, or what one of its init containers
 * needs while it runs, whichever is more. What the pod says about itself counts before all.
 */
export function podTotals({ spec }: Loose<Pod>, list: "requests" | "limits"): Readonly<Record<string, string>> {
  let total: Record<string, string> = {};
  for (const { resources } of spec?.containers ?? []) total = sum(total, resources?.[list]);
  let sidecars: Record<string, string> = {};
  let most: Record<string, string> = {};
  for (const { resources, restartPolicy } of spec?.initContainers ?? []) {
    const own = resources?.[list];
    if (restartPolicy === "Always") {
      total = sum(total, own);
      sidecars = sum(sidecars, own);
      most = larger(most, sidecars);
    } else most = larger(most, sum(sidecars, own));
  }
  const stated = Object.entries(spec?.resources?.[list] ?? {}).filter(([name, value]) => value != null && /^(cpu|memory)$/.test(name));
  return { ...larger(total, most), ...Object.fromEntries(stated) } as Record<string, string>;
}

function sum(a: Readonly<Record<string, string>>, b: Quantities): Record<string, string> {
  const all: Record<string, string> = { ...a };
  for (const [name, value] of Object.entries(b ?? {})) {
    if (value != null) all[name] = all[name] === undefined ? value : addQuantities(all[name], value);
  }
  return all;
}

function larger(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): Record<string, string> {
  const all: Record<string, string> = { ...a };
  for (const [name, value] of Object.entries(b)) {
    if (all[name] === undefined || compareQuantities(value, all[name]) > 0) all[name] = value;
  }
  return all;
}
