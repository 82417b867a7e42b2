import type { Node } from "pintle/kinds/core/v1";
import { fieldError, labelValueProblems } from "../../status/index.ts";
import type { Loose } from "../draft.ts";
import { rules } from "../rules.ts";
import { nodeTable } from "../table/core.ts";
import { cidrProblems } from "../text/addresses.ts";
import { inner, invalidFor, type Problems, qualifiedName } from "../validate/problems.ts";
import { resourceQuantity } from "../validate/resources.ts";
import { taintEffect } from "../validate/scheduling.ts";

export const node = rules<Node>({
  connections: ["proxy"],
  statusOnCreate: true,
  validate: validateNode,
  validateUpdate: function* (object, live) {
    yield* validateNode(object);
    yield* resources(object);
    const fixed = (field: string, name: string) =>
      fieldError.forbidden(field, `node updates may not change ${name} except from "" to valid`);
    const was = live.spec?.podCIDRs ?? [];
    if (was.length > 0 && was.join() !== (object.spec?.podCIDRs ?? []).join()) yield fixed("spec.podCIDRs", "podCIDR");
    if (live.spec?.providerID && live.spec.providerID !== object.spec?.providerID) yield fixed("spec.providerID", "providerID");
    yield* taints("metadata.taints", object);
  },
  status: { validate: (object) => resources(object) },
  selectableFields: { "spec.unschedulable": ({ spec }) => String(spec?.unschedulable ?? false) },
  table: nodeTable,
});

function* validateNode(object: Loose<Node>): Problems {
  yield* taints("metadata.taints", object);
  yield* resources(object);
  const ranges = object.spec?.podCIDRs ?? [];
  for (const [i, cidr] of ranges.entries()) yield* invalidFor(`spec.podCIDRs[${i}]`, cidr, cidrProblems(cidr));
  const isPair = ranges.length === 2 && ranges[0]!.includes(":") !== ranges[1]!.includes(":");
  if (ranges.length > 1 && !isPair) {
    yield fieldError.invalid("spec.podCIDRs", ranges, "may specify no more than one CIDR for each IP family");
  }
}

function* taints(field: string, { spec }: Loose<Node>): Problems {
  const seen = new Set<string>();
  for (const [i, taint] of (spec?.taints ?? []).entries()) {
    const at = `${field}[${i}]`;
    yield* qualifiedName(`${at}.key`, taint.key ?? "");
    const problems = labelValueProblems(taint.value ?? "");
    if (problems.length > 0) yield fieldError.invalid(`${at}.value`, taint.value, problems.join(";"));
    yield* taintEffect(`${at}.effect`, taint.effect);
    const key = `${taint.effect}/${taint.key}`;
    if (seen.has(key)) {
      const shown = { Key: taint.key ?? "", Value: taint.value ?? "", Effect: taint.effect ?? "", TimeAdded: taint.timeAdded ?? null };
      const error = fieldError.duplicate(at, inner(shown));
      yield { ...error, detail: `${error.detail}: taints must be unique by key and effect pair` };
    }
    seen.add(key);
  }
}

function* resources({ status }: Loose<Node>): Problems {
  for (const list of ["capacity", "allocatable"] as const) {
    for (const [name, value] of Object.entries(status?.[list] ?? {})) yield* resourceQuantity(`status.${list}.${name}`, name, value ?? "0");
  }
}
