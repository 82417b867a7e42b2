import type { ResourceQuota } from "pintle/kinds/core/v1";
import { fieldError } from "../../status/index.ts";
import type { Loose } from "../draft.ts";
import { rules } from "../rules.ts";
import { resourceQuotaTable } from "../table/core.ts";
import { immutable, type Problems } from "../validate/problems.ts";
import { quotaResourceName, resourceQuantity } from "../validate/resources.ts";

const SCOPES = [
  "BestEffort",
  "CrossNamespacePodAffinity",
  "NotBestEffort",
  "NotTerminating",
  "PriorityClass",
  "Terminating",
  "VolumeAttributesClass",
];

export const resourceQuota = rules<ResourceQuota>({
  validate: validateQuota,
  validateUpdate: function* (object, live) {
    yield* validateQuota(object);
    yield* immutable("spec.scopes", [...(object.spec?.scopes ?? [])].sort(), [...(live.spec?.scopes ?? [])].sort());
  },
  table: resourceQuotaTable,
});

function* validateQuota({ spec }: Loose<ResourceQuota>): Problems {
  for (const [name, value] of Object.entries(spec?.hard ?? {}).sort()) {
    const at = `spec.hard[${name}]`;
    yield* quotaResourceName(at, name);
    yield* resourceQuantity(at, name, value ?? "0");
  }
  for (const scope of spec?.scopes ?? []) {
    if (!SCOPES.includes(scope)) yield fieldError.invalid("spec.scopes", spec?.scopes, "unsupported scope");
  }
}
