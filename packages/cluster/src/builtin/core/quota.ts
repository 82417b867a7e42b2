import type { LimitRange, LimitRangeItem, ResourceQuota } from "pintle/kinds/core/v1";
import { fieldError } from "../../status/index.ts";
import type { Loose } from "../draft.ts";
import { rules } from "../rules.ts";
import { resourceQuotaTable } from "../table/core.ts";
import { compareQuantities } from "../text/quantities.ts";
import { immutable, type Problems } from "../validate/problems.ts";
import { quotaResourceName, resourceName, resourceQuantity } from "../validate/resources.ts";

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

export const limitRange = rules<LimitRange>({
  validate: function* ({ spec }) {
    const types = new Set<string>();
    for (const [i, item] of (spec?.limits ?? []).entries()) {
      const at = `spec.limits[${i}]`;
      const { type = "" } = item;
      if (types.has(type ?? "")) yield fieldError.duplicate(`${at}.type`, type);
      types.add(type ?? "");
      yield* limits(at, item);
    }
  },
});

type Quantities = Readonly<Record<string, string | null | undefined>> | null | undefined;

function* limits(field: string, item: Loose<LimitRangeItem>): Problems {
  const lists: Readonly<Record<string, Quantities>> = {
    max: item.max,
    min: item.min,
    default: item.default,
    defaultRequest: item.defaultRequest,
    maxLimitRequestRatio: item.maxLimitRequestRatio,
  };
  for (const [list, quantities] of Object.entries(lists)) {
    for (const name of Object.keys(quantities ?? {}).sort()) yield* resourceName(`${field}.${list}[${name}]`, name);
  }
  const names = new Set(Object.values(lists).flatMap((list) => Object.keys(list ?? {})));
  for (const name of [...names].sort()) {
    yield* ordered(field, name, "min", item.min, "max", item.max, "value");
    yield* ordered(field, name, "defaultRequest", item.defaultRequest, "max", item.max, "value");
    yield* ordered(field, name, "default", item.default, "max", item.max, "value");
    yield* ordered(field, name, "defaultRequest", item.defaultRequest, "default", item.default, "limit value");
  }
}

function* ordered(field: string, name: string, small: string, a: Quantities, big: string, b: Quantities, what: string): Problems {
  const low = a?.[name];
  const high = b?.[name];
  if (low == null || high == null || compareQuantities(low, high) <= 0) return;
  const label = small === "min" ? "min value" : small === "defaultRequest" ? "default request value" : "default value";
  const target = big === "max" ? "max value" : `default ${what}`;
  yield fieldError.invalid(`${field}.${small}[${name}]`, low, `${label} ${low} is greater than ${target} ${high}`);
}
