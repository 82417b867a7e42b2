import { isObject, type Json, type JsonObject, type KindFacts } from "../kinds/index.ts";
import type { FieldError, FieldReason } from "./verdict.ts";

/** Kubernetes' name of each reason, and how a message begins with it. */
const WORDS: Readonly<Record<FieldReason, readonly [cause: string, text: string]>> = {
  Invalid: ["FieldValueInvalid", "Invalid value"],
  Required: ["FieldValueRequired", "Required value"],
  Forbidden: ["FieldValueForbidden", "Forbidden"],
  Duplicate: ["FieldValueDuplicate", "Duplicate value"],
  NotSupported: ["FieldValueNotSupported", "Unsupported value"],
  TooLong: ["FieldValueTooLong", "Too long"],
  TooMany: ["FieldValueTooMany", "Too many"],
};
const SHOWS_VALUE = new Set<FieldReason>(["Invalid", "Duplicate", "NotSupported"]);

/** Errors by field as the server itself would report them: 422, with a cause for each. */
export function fieldStatus(
  kind: Pick<KindFacts, "group" | "kind">,
  name: string,
  object: JsonObject | undefined,
  errors: readonly FieldError[],
): JsonObject {
  const causes = errors.map(({ field, message, reason = "Invalid", ...given }) => {
    const [cause, text] = WORDS[reason] ?? WORDS.Invalid;
    const value = "value" in given ? (given.value as Json | undefined) : valueAt(object, field);
    const shown = SHOWS_VALUE.has(reason) ? `: ${shownValue(value)}` : "";
    return { reason: cause, message: `${text}${shown}: ${message}`, field };
  });
  const said = causes.map(({ field, message }) => `${field}: ${message}`);
  const named = kind.group === "" ? kind.kind : `${kind.kind}.${kind.group}`;
  return {
    status: "Failure",
    code: 422,
    reason: "Invalid",
    message: `${named} "${name}" is invalid: ${said.length === 1 ? said[0] : `[${said.join(", ")}]`}`,
    details: { name, group: kind.group, kind: kind.kind, causes },
  };
}

const LONGEST = 256;
function shownValue(value: Json | undefined): string {
  const text =
    value === undefined
      ? "null"
      : typeof value === "bigint"
        ? String(value)
        : JSON.stringify(value, (_, each) => (typeof each === "bigint" ? Number(each) : each));
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text;
}

/** What stands at "spec.ports[0].name"; undefined where there is nothing. */
function valueAt(object: JsonObject | undefined, field: string): Json | undefined {
  let at: Json | undefined = object;
  for (const [, name, index, key] of field.matchAll(/([^.[\]]+)|\[(\d+)\]|\[([^\]]+)\]/g)) {
    const step = name ?? index ?? key!.replace(/^(['"])(.*)\1$/, "$2");
    if (!isObject(at) && !Array.isArray(at)) return undefined;
    at = Object.hasOwn(at, step) ? (at as JsonObject)[step] : undefined;
  }
  return at;
}
