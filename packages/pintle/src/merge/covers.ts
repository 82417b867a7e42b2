import { isObject, type Json, type JsonObject, type Shape, UNTYPED } from "../kinds/index.ts";
import { equal } from "./equal.ts";
import { partner } from "./partner.ts";
import { quantity } from "./quantity.ts";
import { fieldShape } from "./shape-at.ts";

/**
 * Does `live` say everything that `desired` says? Knows how servers rewrite quantities and times; a doubt is a no.
 * With `misses`, every place that is not covered is named there (`.spec.replicas`), otherwise the first ends the search.
 */
export function covers(desired: Json, live: Json | undefined, shape: Shape = UNTYPED, misses?: string[]): boolean {
  if (desired === live) return true;
  if (Array.isArray(desired)) {
    return Array.isArray(live) ? coversItems(desired as readonly Json[], live as readonly Json[], shape, misses) : missed(misses);
  }
  if (isObject(desired)) return isObject(live) ? coversFields(desired, live, shape, misses) : missed(misses);
  return (live !== undefined && (equal(desired, live) || isRewritten(desired, live, shape))) || missed(misses);
}

function coversFields(desired: JsonObject, live: JsonObject, shape: Shape, misses: string[] | undefined): boolean {
  let all = true;
  for (const name in desired) {
    const field = desired[name];
    if (field === undefined) continue;
    const start = misses?.length ?? 0;
    if (covers(field, live[name], fieldShape(shape, name), misses)) continue;
    if (misses === undefined) return false;
    prefix(misses, start, `.${name}`);
    all = false;
  }
  return all;
}

function coversItems(desired: readonly Json[], live: readonly Json[], shape: Shape, misses: string[] | undefined): boolean {
  if (shape.list === "set") return desired.every((item) => live.some((other) => equal(item, other))) || missed(misses);
  if (shape.list !== "map" && live.length !== desired.length) return missed(misses);
  let all = true;
  for (const [i, item] of desired.entries()) {
    const start = misses?.length ?? 0;
    if (covers(item, shape.list === "map" ? partner(item, i, live, shape) : live[i], shape.items, misses)) continue;
    if (misses === undefined) return false;
    prefix(misses, start, `[${i}]`);
    all = false;
  }
  return all;
}

function missed(misses: string[] | undefined): false {
  misses?.push("");
  return false;
}

function prefix(misses: string[], from: number, step: string): void {
  for (let i = from; i < misses.length; i++) misses[i] = step + misses[i];
}

/** Is this what a server makes of it? */
function isRewritten(desired: Json, live: Json, shape: Shape): boolean {
  switch (shape.scalar) {
    case "quantity": {
      const value = quantity(desired);
      return value !== undefined && value === quantity(live);
    }
    case "time":
      return sameInstant(desired, live, SECONDS, 1_000);
    case "microTime":
      return sameInstant(desired, live, MICROSECONDS, 1);
    default:
      return false;
  }
}

const SECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const MICROSECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

/** Only the server's own form counts on the live side: UTC, cut to its precision. */
function sameInstant(desired: Json, live: Json, form: RegExp, unit: number): boolean {
  if (typeof desired !== "string" || typeof live !== "string" || !form.test(live)) return false;
  const wanted = Date.parse(desired);
  if (Math.floor(wanted / unit) !== Math.floor(Date.parse(live) / unit)) return false;
  return form === SECONDS || fraction(desired) === fraction(live);
}

/** Six digits of the second; Date knows only three. */
function fraction(time: string): string {
  return (/\.(\d+)/.exec(time)?.[1] ?? "").padEnd(6, "0").slice(0, 6);
}
