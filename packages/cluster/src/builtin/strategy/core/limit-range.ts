import type { LimitRange, LimitRangeItem } from "pintle/kinds/core/v1";
import { fieldError } from "../../../status/index.ts";
import type { Unvalidated } from "../../draft.ts";
import { compareQuantities, nanos } from "../../quantities.ts";
import { isOvercommitAllowed, validateResourceName } from "../../validation/resources.ts";
import { type FieldErrors, validateQualifiedNameField } from "../../validation/validators.ts";
import { defineStrategy } from "../kind-strategy.ts";

const STANDARD_LIMIT_TYPES = new Set(["Pod", "Container", "PersistentVolumeClaim"]);

export const limitRangeStrategy = defineStrategy<LimitRange>({
  prepareForCreate({ metadata }) {
    // A limit range without a name is named after its UID.
    if (metadata && !metadata.name) metadata.name = metadata.uid;
  },
  validate: function* ({ spec }) {
    const types = new Set<string>();
    for (const [i, item] of (spec?.limits ?? []).entries()) {
      const at = `spec.limits[${i}]`;
      const type = item.type ?? "";
      yield* validateLimitType(`${at}.type`, type);
      if (types.has(type)) yield fieldError.duplicate(`${at}.type`, type);
      types.add(type);
      yield* validateLimitRangeItem(at, item);
    }
  },
});

function* validateLimitType(field: string, type: string): FieldErrors {
  const problems = [...validateQualifiedNameField(field, type)];
  yield* problems;
  if (problems.length === 0 && !type.includes("/") && !STANDARD_LIMIT_TYPES.has(type)) {
    yield fieldError.invalid(field, type, "must be a standard limit type or fully qualified");
  }
}

type Quantities = Readonly<Record<string, string | null | undefined>> | null | undefined;

function* validateLimitRangeItem(field: string, item: Unvalidated<LimitRangeItem>): FieldErrors {
  const ofPod = item.type === "Pod";
  yield* validateResourceNames(`${field}.max`, item.max);
  yield* validateResourceNames(`${field}.min`, item.min);
  for (const list of ["default", "defaultRequest"] as const) {
    if (!ofPod) yield* validateResourceNames(`${field}.${list}`, item[list]);
    else if (Object.keys(item[list] ?? {}).length > 0) {
      yield fieldError.forbidden(`${field}.${list}`, "may not be specified when `type` is 'Pod'");
    }
  }
  if (item.type === "PersistentVolumeClaim" && item.min?.["storage"] == null && item.max?.["storage"] == null) {
    yield fieldError.required(`${field}.limits`, "either minimum or maximum storage value is required, but neither was provided");
  }
  yield* validateResourceNames(`${field}.maxLimitRequestRatio`, item.maxLimitRequestRatio);
  const lists = [item.max, item.min, ...(ofPod ? [] : [item.default, item.defaultRequest]), item.maxLimitRequestRatio];
  const all = new Set(lists.flatMap((list) => Object.keys(list ?? {})));
  for (const name of [...all].sort())
    yield* validateQuantities(field, name, ofPod ? { ...item, default: null, defaultRequest: null } : item);
}

function* validateResourceNames(field: string, quantities: Quantities): FieldErrors {
  for (const name of Object.keys(quantities ?? {}).sort()) yield* validateResourceName(`${field}[${name}]`, name);
}

function* validateQuantities(field: string, name: string, item: Unvalidated<LimitRangeItem>): FieldErrors {
  const [min, max] = [item.min?.[name], item.max?.[name]];
  const [defaultLimit, request, ratio] = [item.default?.[name], item.defaultRequest?.[name], item.maxLimitRequestRatio?.[name]];
  const exceeds = (a: string | null | undefined, b: string | null | undefined) => a != null && b != null && compareQuantities(a, b) > 0;
  const invalid = (list: string, value: string | null | undefined, why: string) =>
    fieldError.invalid(`${field}.${list}[${name}]`, value, why);
  if (exceeds(min, max)) yield invalid("min", min, `min value ${min} is greater than max value ${max}`);
  if (exceeds(min, request)) yield invalid("defaultRequest", request, `min value ${min} is greater than default request value ${request}`);
  if (exceeds(request, max)) yield invalid("defaultRequest", request, `default request value ${request} is greater than max value ${max}`);
  if (exceeds(request, defaultLimit)) {
    yield invalid("defaultRequest", request, `default request value ${request} is greater than default limit value ${defaultLimit}`);
  }
  if (exceeds(min, defaultLimit)) yield invalid("default", min, `min value ${min} is greater than default value ${defaultLimit}`);
  if (exceeds(defaultLimit, max)) yield invalid("default", max, `default value ${defaultLimit} is greater than max value ${max}`);
  if (ratio != null && compareQuantities(ratio, "1") < 0) yield invalid("maxLimitRequestRatio", ratio, `ratio ${ratio} is less than 1`);
  if (ratio != null && min != null && max != null) {
    const widest = Number(nanos(max)) / Number(nanos(min));
    if (Number(nanos(ratio)) / 1e9 > widest) {
      yield invalid("maxLimitRequestRatio", ratio, `ratio ${ratio} is greater than max/min = ${widest.toFixed(6)}`);
    }
  }
  if (!isOvercommitAllowed(name) && defaultLimit != null && request != null && compareQuantities(defaultLimit, request) !== 0) {
    yield invalid("defaultRequest", request, `default value ${defaultLimit} must equal to defaultRequest value ${request} in ${name}`);
  }
}
