import type { LimitRange, LimitRangeItem } from "pintle/kinds/core/v1";
import { fieldError } from "../../status/index.ts";
import type { Loose } from "../draft.ts";
import { rules } from "../rules.ts";
import { compareQuantities, nanos } from "../text/quantities.ts";
import { type Problems, qualifiedName } from "../validate/problems.ts";
import { mayOvercommit, resourceName } from "../validate/resources.ts";

const TYPES = new Set(["Pod", "Container", "PersistentVolumeClaim"]);

export const limitRange = rules<LimitRange>({
  prepareCreate({ metadata }) {
    // Nobody has to think of a name for one.
    if (metadata && !metadata.name) metadata.name = metadata.uid;
  },
  validate: function* ({ spec }) {
    const types = new Set<string>();
    for (const [i, item] of (spec?.limits ?? []).entries()) {
      const at = `spec.limits[${i}]`;
      const type = item.type ?? "";
      yield* limitType(`${at}.type`, type);
      if (types.has(type)) yield fieldError.duplicate(`${at}.type`, type);
      types.add(type);
      yield* limits(at, item);
    }
  },
});

function* limitType(field: string, type: string): Problems {
  const problems = [...qualifiedName(field, type)];
  yield* problems;
  if (problems.length === 0 && !type.includes("/") && !TYPES.has(type)) {
    yield fieldError.invalid(field, type, "must be a standard limit type or fully qualified");
  }
}

type Quantities = Readonly<Record<string, string | null | undefined>> | null | undefined;

function* limits(field: string, item: Loose<LimitRangeItem>): Problems {
  const ofPod = item.type === "Pod";
  yield* names(`${field}.max`, item.max);
  yield* names(`${field}.min`, item.min);
  for (const list of ["default", "defaultRequest"] as const) {
    if (!ofPod) yield* names(`${field}.${list}`, item[list]);
    else if (Object.keys(item[list] ?? {}).length > 0) {
      yield fieldError.forbidden(`${field}.${list}`, "may not be specified when `type` is 'Pod'");
    }
  }
  if (item.type === "PersistentVolumeClaim" && item.min?.["storage"] == null && item.max?.["storage"] == null) {
    yield fieldError.required(`${field}.limits`, "either minimum or maximum storage value is required, but neither was provided");
  }
  yield* names(`${field}.maxLimitRequestRatio`, item.maxLimitRequestRatio);
  const lists = [item.max, item.min, ...(ofPod ? [] : [item.default, item.defaultRequest]), item.maxLimitRequestRatio];
  const all = new Set(lists.flatMap((list) => Object.keys(list ?? {})));
  for (const name of [...all].sort()) yield* amounts(field, name, ofPod ? { ...item, default: null, defaultRequest: null } : item);
}

function* names(field: string, quantities: Quantities): Problems {
  for (const name of Object.keys(quantities ?? {}).sort()) yield* resourceName(`${field}[${name}]`, name);
}

function* amounts(field: string, name: string, item: Loose<LimitRangeItem>): Problems {
  const [min, max] = [item.min?.[name], item.max?.[name]];
  const [usual, request, ratio] = [item.default?.[name], item.defaultRequest?.[name], item.maxLimitRequestRatio?.[name]];
  const exceeds = (a: string | null | undefined, b: string | null | undefined) => a != null && b != null && compareQuantities(a, b) > 0;
  const invalid = (list: string, shown: string | null | undefined, why: string) =>
    fieldError.invalid(`${field}.${list}[${name}]`, shown, why);
  if (exceeds(min, max)) yield invalid("min", min, `min value ${min} is greater than max value ${max}`);
  if (exceeds(min, request)) yield invalid("defaultRequest", request, `min value ${min} is greater than default request value ${request}`);
  if (exceeds(request, max)) yield invalid("defaultRequest", request, `default request value ${request} is greater than max value ${max}`);
  if (exceeds(request, usual)) {
    yield invalid("defaultRequest", request, `default request value ${request} is greater than default limit value ${usual}`);
  }
  if (exceeds(min, usual)) yield invalid("default", min, `min value ${min} is greater than default value ${usual}`);
  if (exceeds(usual, max)) yield invalid("default", max, `default value ${usual} is greater than max value ${max}`);
  if (ratio != null && compareQuantities(ratio, "1") < 0) yield invalid("maxLimitRequestRatio", ratio, `ratio ${ratio} is less than 1`);
  if (ratio != null && min != null && max != null) {
    const widest = Number(nanos(max)) / Number(nanos(min));
    if (Number(nanos(ratio)) / 1e9 > widest) {
      yield invalid("maxLimitRequestRatio", ratio, `ratio ${ratio} is greater than max/min = ${widest.toFixed(6)}`);
    }
  }
  if (!mayOvercommit(name) && usual != null && request != null && compareQuantities(usual, request) !== 0) {
    yield invalid("defaultRequest", request, `default value ${usual} must equal to defaultRequest value ${request} in ${name}`);
  }
}
