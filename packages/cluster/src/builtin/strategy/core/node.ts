import type { Node } from "pintle/kinds/core/v1";
import { fieldError, validateLabelValue } from "../../../status/index.ts";
import type { Unvalidated } from "../../draft.ts";
import { nodePrinter } from "../../printers/core.ts";
import { validateCidr } from "../../validation/ip-address.ts";
import { validateResourceQuantity } from "../../validation/resources.ts";
import { validateTaintEffect } from "../../validation/scheduling.ts";
import { createInvalidErrors, type FieldErrors, printInternal, validateQualifiedNameField } from "../../validation/validators.ts";
import { defineStrategy } from "../kind-strategy.ts";

export const nodeStrategy = defineStrategy<Node>({
  connectSubresources: ["proxy"],
  allowStatusOnCreate: true,
  validate: validateNode,
  validateUpdate: function* (object, live) {
    yield* validateNode(object);
    yield* validateNodeResources(object);
    const validateUnchanged = (field: string, name: string) =>
      fieldError.forbidden(field, `node updates may not change ${name} except from "" to valid`);
    const was = live.spec?.podCIDRs ?? [];
    if (was.length > 0 && was.join() !== (object.spec?.podCIDRs ?? []).join()) yield validateUnchanged("spec.podCIDRs", "podCIDR");
    if (live.spec?.providerID && live.spec.providerID !== object.spec?.providerID) yield validateUnchanged("spec.providerID", "providerID");
    yield* validateTaints("metadata.taints", object);
  },
  status: { validate: (object) => validateNodeResources(object) },
  selectableFields: { "spec.unschedulable": ({ spec }) => String(spec?.unschedulable ?? false) },
  tablePrinter: nodePrinter,
});

function* validateNode(object: Unvalidated<Node>): FieldErrors {
  yield* validateTaints("metadata.taints", object);
  yield* validateNodeResources(object);
  const ranges = object.spec?.podCIDRs ?? [];
  for (const [i, cidr] of ranges.entries()) yield* createInvalidErrors(`spec.podCIDRs[${i}]`, cidr, validateCidr(cidr));
  const isPair = ranges.length === 2 && ranges[0]!.includes(":") !== ranges[1]!.includes(":");
  if (ranges.length > 1 && !isPair) {
    yield fieldError.invalid("spec.podCIDRs", ranges, "may specify no more than one CIDR for each IP family");
  }
}

function* validateTaints(field: string, { spec }: Unvalidated<Node>): FieldErrors {
  const seen = new Set<string>();
  for (const [i, taint] of (spec?.taints ?? []).entries()) {
    const at = `${field}[${i}]`;
    yield* validateQualifiedNameField(`${at}.key`, taint.key ?? "");
    const problems = validateLabelValue(taint.value ?? "");
    if (problems.length > 0) yield fieldError.invalid(`${at}.value`, taint.value, problems.join(";"));
    yield* validateTaintEffect(`${at}.effect`, taint.effect);
    const key = `${taint.effect}/${taint.key}`;
    if (seen.has(key)) {
      const internal = { Key: taint.key ?? "", Value: taint.value ?? "", Effect: taint.effect ?? "", TimeAdded: taint.timeAdded ?? null };
      const error = fieldError.duplicate(at, printInternal(internal));
      yield { ...error, detail: `${error.detail}: taints must be unique by key and effect pair` };
    }
    seen.add(key);
  }
}

function* validateNodeResources({ status }: Unvalidated<Node>): FieldErrors {
  for (const list of ["capacity", "allocatable"] as const) {
    for (const [name, value] of Object.entries(status?.[list] ?? {}))
      yield* validateResourceQuantity(`status.${list}.${name}`, name, value ?? "0");
  }
}
