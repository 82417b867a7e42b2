import { isJsonObject } from "../../json/index.ts";
import { type Json, type JsonObject, type Shape, UNTYPED_SHAPE } from "../../kinds/index.ts";
import { isJsonEqual } from "../json-equal.ts";
import { quantityValue } from "../quantity.ts";
import { fieldShape } from "../shape/shape-queries.ts";
import { findItemByKeys } from "./find-item-by-keys.ts";

/**
 * Whether `live` contains every value of `desired`. Quantities and times match in the form that the API server stores; in doubt the
 * result is false. With `mismatches`, the path of every mismatch is added to it (`.spec.replicas`); otherwise the first one ends the
 * search.
 */
export function isSatisfiedBy(desired: Json, live: Json | undefined, shape: Shape = UNTYPED_SHAPE, mismatches?: string[]): boolean {
  if (desired === live) return true;
  if (Array.isArray(desired)) {
    return Array.isArray(live)
      ? areItemsSatisfied(desired as readonly Json[], live as readonly Json[], shape, mismatches)
      : reportMismatch(mismatches);
  }
  if (isJsonObject(desired)) return isJsonObject(live) ? areFieldsSatisfied(desired, live, shape, mismatches) : reportMismatch(mismatches);
  return (live !== undefined && (isJsonEqual(desired, live) || isServerRewrite(desired, live, shape))) || reportMismatch(mismatches);
}

function areFieldsSatisfied(desired: JsonObject, live: JsonObject, shape: Shape, mismatches: string[] | undefined): boolean {
  let all = true;
  for (const name in desired) {
    const field = desired[name];
    if (field === undefined) continue;
    const start = mismatches?.length ?? 0;
    if (isSatisfiedBy(field, live[name], fieldShape(shape, name), mismatches)) continue;
    if (mismatches === undefined) return false;
    prefixMismatches(mismatches, start, `.${name}`);
    all = false;
  }
  return all;
}

function areItemsSatisfied(desired: readonly Json[], live: readonly Json[], shape: Shape, mismatches: string[] | undefined): boolean {
  if (shape.list === "set") return desired.every((item) => live.some((other) => isJsonEqual(item, other))) || reportMismatch(mismatches);
  if (shape.list !== "map" && live.length !== desired.length) return reportMismatch(mismatches);
  let all = true;
  for (const [i, item] of desired.entries()) {
    const start = mismatches?.length ?? 0;
    if (isSatisfiedBy(item, shape.list === "map" ? findItemByKeys(item, i, live, shape) : live[i], shape.items, mismatches)) continue;
    if (mismatches === undefined) return false;
    prefixMismatches(mismatches, start, `[${i}]`);
    all = false;
  }
  return all;
}

function reportMismatch(mismatches: string[] | undefined): false {
  mismatches?.push("");
  return false;
}

function prefixMismatches(mismatches: string[], from: number, step: string): void {
  for (let i = from; i < mismatches.length; i++) mismatches[i] = step + mismatches[i];
}

/** Whether `live` is the form in which the API server stores `desired`. */
function isServerRewrite(desired: Json, live: Json, shape: Shape): boolean {
  switch (shape.scalar) {
    case "quantity": {
      const value = quantityValue(desired);
      return value !== undefined && value === quantityValue(live);
    }
    case "time":
      return isSameInstant(desired, live, SECONDS, 1_000);
    case "microTime":
      return isSameInstant(desired, live, MICROSECONDS, 1);
    default:
      return false;
  }
}

const SECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const MICROSECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

/** Whether both are the same time. `live` must have the form that the API server writes: UTC, truncated to its precision. */
function isSameInstant(desired: Json, live: Json, form: RegExp, unit: number): boolean {
  if (typeof desired !== "string" || typeof live !== "string" || !form.test(live)) return false;
  const desiredTime = Date.parse(desired);
  if (Math.floor(desiredTime / unit) !== Math.floor(Date.parse(live) / unit)) return false;
  return form === SECONDS || fractionDigits(desired) === fractionDigits(live);
}

/** The fraction of the second with six digits; `Date` has three. */
function fractionDigits(time: string): string {
  return (/\.(\d+)/.exec(time)?.[1] ?? "").padEnd(6, "0").slice(0, 6);
}
