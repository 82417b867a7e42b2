import { isJsonObject } from "../../json/index.ts";
import type { Json, JsonObject, KindInfo } from "../../kinds/index.ts";
import type { FieldError, FieldErrorReason } from "../declare/validation-result.ts";

/** The cause reason of each field error, and how Kubernetes begins its message. */
const REASON_TEXTS: Readonly<Record<FieldErrorReason, readonly [cause: string, text: string]>> = {
  Invalid: ["FieldValueInvalid", "Invalid value"],
  Required: ["FieldValueRequired", "Required value"],
  Forbidden: ["FieldValueForbidden", "Forbidden"],
  Duplicate: ["FieldValueDuplicate", "Duplicate value"],
  NotSupported: ["FieldValueNotSupported", "Unsupported value"],
  TooLong: ["FieldValueTooLong", "Too long"],
  TooMany: ["FieldValueTooMany", "Too many"],
};
const REASONS_WITH_VALUE = new Set<FieldErrorReason>(["Invalid", "Duplicate", "NotSupported"]);

/** Returns the Status of field errors as the API server reports them: 422 Invalid, with one cause per error. */
export function buildInvalidStatus(
  kind: Pick<KindInfo, "group" | "kind">,
  name: string,
  object: JsonObject | undefined,
  errors: readonly FieldError[],
): JsonObject {
  const causes = errors.map(({ field, message, reason = "Invalid", ...given }) => {
    const [cause, text] = REASON_TEXTS[reason] ?? REASON_TEXTS.Invalid;
    const value = "value" in given ? (given.value as Json | undefined) : valueAt(object, field);
    const formatted = REASONS_WITH_VALUE.has(reason) ? `: ${formatValue(value)}` : "";
    return { reason: cause, message: `${text}${formatted}: ${message}`, field };
  });
  const messages = causes.map(({ field, message }) => `${field}: ${message}`);
  const named = kind.group === "" ? kind.kind : `${kind.kind}.${kind.group}`;
  return {
    status: "Failure",
    code: 422,
    reason: "Invalid",
    message: `${named} "${name}" is invalid: ${messages.length === 1 ? messages[0] : `[${messages.join(", ")}]`}`,
    details: { name, group: kind.group, kind: kind.kind, causes },
  };
}

const MAX_VALUE_LENGTH = 256;
function formatValue(value: Json | undefined): string {
  const text =
    value === undefined
      ? "null"
      : typeof value === "bigint"
        ? String(value)
        : JSON.stringify(value, (_, each) => (typeof each === "bigint" ? Number(each) : each));
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}...` : text;
}

/** Returns the value at a path like "spec.ports[0].name"; undefined if there is none. */
function valueAt(object: JsonObject | undefined, field: string): Json | undefined {
  let at: Json | undefined = object;
  for (const [, name, index, key] of field.matchAll(/([^.[\]]+)|\[(\d+)\]|\[([^[\]]+)\]/g)) {
    const step = name ?? index ?? key!.replace(/^(['"])(.*)\1$/, "$2");
    if (!isJsonObject(at) && !Array.isArray(at)) return undefined;
    at = Object.hasOwn(at, step) ? (at as JsonObject)[step] : undefined;
  }
  return at;
}
