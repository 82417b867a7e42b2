import { type FieldError, fieldError } from "../../status/index.ts";
import type { JsonSchema } from "../json-schema.ts";
import type { PrinterColumnDefinition } from "../printer-columns/index.ts";
import { resolveFieldPath } from "../structural/field-path.ts";
import type { CrdSubresources, CrdVersion } from "./crd.ts";

const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

export function validatePrinterColumn(column: PrinterColumnDefinition, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { name = "", type = "", format = "", jsonPath = "" } = column;
  if (name === "") errors.push(fieldError.required(`${path}.name`));
  const oneOf = `must be one of ${columnTypes.join(",")}`;
  if (type === "") errors.push(fieldError.required(`${path}.type`, oneOf));
  else if (!columnTypes.includes(type)) errors.push(fieldError.invalid(`${path}.type`, type, oneOf));
  if (format !== "" && !columnFormats.includes(format)) {
    errors.push(fieldError.invalid(`${path}.format`, format, `must be one of ${columnFormats.join(",")}`));
  }
  if (jsonPath === "") errors.push(fieldError.required(`${path}.JSONPath`));
  else errors.push(...validateSimplePath(jsonPath, `${path}.JSONPath`));
  return errors;
}

function validateSimplePath(jsonPath: string, path: string): FieldError[] {
  return jsonPath.startsWith(".") ? [] : [fieldError.invalid(path, jsonPath, "must be a simple json path starting with .")];
}

export function validateSubresources(subresources: CrdSubresources | undefined, path: string): FieldError[] {
  if (subresources?.scale === undefined) return [];
  const { specReplicasPath: spec = "", statusReplicasPath: status = "", labelSelectorPath: selector = "" } = subresources.scale;
  const errors: FieldError[] = [];
  const validatePrefix = (field: string, value: string, parents: readonly string[], should: string) => {
    const at = `${path}.scale.${field}`;
    const wrong = validateSimplePath(value, at);
    if (wrong.length > 0) errors.push(...wrong);
    else if (!parents.some((parent) => value.startsWith(parent))) errors.push(fieldError.invalid(at, value, should));
  };
  if (spec === "") errors.push(fieldError.required(`${path}.scale.specReplicasPath`));
  else validatePrefix("specReplicasPath", spec, [".spec."], "should be a json path under .spec");
  if (status === "") errors.push(fieldError.required(`${path}.scale.statusReplicasPath`));
  else validatePrefix("statusReplicasPath", status, [".status."], "should be a json path under .status");
  if (selector !== "")
    validatePrefix("labelSelectorPath", selector, [".spec.", ".status."], "should be a json path under either .spec or .status");
  return errors;
}

const maxSelectableFields = 8;

export function validateSelectableFields(
  fields: readonly { readonly jsonPath: string }[],
  schema: JsonSchema,
  path: string,
  allowMany: boolean,
): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [i, { jsonPath = "" }] of fields.entries()) {
    const at = `${path}[${i}].jsonPath`;
    if (jsonPath === "") {
      errors.push(fieldError.required(at));
      continue;
    }
    try {
      const found = resolveFieldPath(jsonPath, schema, { brackets: false });
      if (found.root === "metadata") errors.push(fieldError.invalid(at, jsonPath, "must not point to fields in metadata"));
      if (!["string", "boolean", "integer"].includes(found.schema?.type ?? "")) {
        const must = "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";
        errors.push(fieldError.invalid(at, jsonPath, must));
      }
      if (seen.has(found.text)) errors.push(fieldError.duplicate(at, jsonPath));
      seen.add(found.text);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      errors.push(fieldError.invalid(at, jsonPath, `is an invalid path: ${error.message}`));
    }
  }
  if (seen.size > maxSelectableFields && !allowMany) errors.push(fieldError.tooMany(path, seen.size, maxSelectableFields));
  return errors;
}

export function validateDeprecationWarning({ deprecated, deprecationWarning: warning }: CrdVersion, path: string): FieldError[] {
  if (warning === undefined) return [];
  const at = `${path}.deprecationWarning`;
  if (deprecated !== true) return [fieldError.invalid(at, warning, "can only be set for deprecated versions")];
  const errors: FieldError[] = [];
  if (Buffer.byteLength(warning) > 256) errors.push(fieldError.invalid(at, warning, "must be <= 256 characters long"));
  if (warning === "") errors.push(fieldError.invalid(at, warning, "must not be an empty string"));
  const hidden = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.exec(warning);
  if (hidden !== null) {
    const index = Buffer.byteLength(warning.slice(0, hidden.index));
    errors.push(
      fieldError.invalid(at, warning, `must only contain printable UTF-8 characters; non-printable character found at index ${index}`),
    );
  }
  return errors;
}
