import type { ResourceQuota } from "pintle/kinds/core/v1";
import { fieldError } from "../../../status/index.ts";
import type { Unvalidated } from "../../draft.ts";
import { resourceQuotaPrinter } from "../../printers/core.ts";
import { validateQuotaResourceName, validateResourceQuantity } from "../../validation/resources.ts";
import { type FieldErrors, validateImmutableField } from "../../validation/validators.ts";
import { defineStrategy } from "../kind-strategy.ts";

const QUOTA_SCOPES = [
  "BestEffort",
  "CrossNamespacePodAffinity",
  "NotBestEffort",
  "NotTerminating",
  "PriorityClass",
  "Terminating",
  "VolumeAttributesClass",
];

export const resourceQuotaStrategy = defineStrategy<ResourceQuota>({
  validate: validateQuota,
  validateUpdate: function* (object, live) {
    yield* validateQuota(object);
    yield* validateImmutableField("spec.scopes", [...(object.spec?.scopes ?? [])].sort(), [...(live.spec?.scopes ?? [])].sort());
  },
  tablePrinter: resourceQuotaPrinter,
});

function* validateQuota({ spec }: Unvalidated<ResourceQuota>): FieldErrors {
  for (const [name, value] of Object.entries(spec?.hard ?? {}).sort()) {
    const at = `spec.hard[${name}]`;
    yield* validateQuotaResourceName(at, name);
    yield* validateResourceQuantity(at, name, value ?? "0");
  }
  for (const scope of spec?.scopes ?? []) {
    if (!QUOTA_SCOPES.includes(scope)) yield fieldError.invalid("spec.scopes", spec?.scopes, "unsupported scope");
  }
}
