import type { Json, JsonObject } from "pintle/kinds";
import { type FieldError, fieldError, fieldErrorText } from "../../status/index.ts";
import { DecodeError } from "../decode/index.ts";
import { coerceMetadata, coercer } from "../embedded.ts";
import type { JsonSchema } from "../json-schema.ts";
import { pruner } from "../prune.ts";
import { ruleValidator } from "../rules/index.ts";
import { type Structural, structural } from "../structural.ts";
import { embeddedCheck } from "../validate/embedded.ts";
import { deepEqual } from "../validate/equal.ts";
import { fieldErrors, findings } from "../validate/problem.ts";
import { validator } from "../validate/validator.ts";
import { someSchema } from "./some-schema.ts";

/** Puts a value where it stands in an object of its own: the metadata of an embedded object is checked as a whole. */
type Surround = (value: Json) => JsonObject;

const alone: Surround = (value) => ({ apiVersion: "validation/v1", kind: "Validation", ...(value as JsonObject) });

/** Defaults must be valid, and must not have fields that would be dropped. */
export function defaultErrors(schema: JsonSchema, path: string): FieldError[] {
  const root = structural(schema, true);
  return nodeErrors(root, root, alone, false, path);
}

function nodeErrors(node: Structural, root: Structural, surround: Surround, insideMeta: boolean, path: string): FieldError[] {
  const starts = node.embedded;
  const from = starts ? node : root;
  const around = starts ? alone : surround;
  const inMeta = starts ? false : insideMeta;
  const errors: FieldError[] = [];
  if (node.default !== undefined) {
    errors.push(
      ...(inMeta
        ? metadataDefaultErrors(node, from, around, `${path}.default`)
        : plainDefaultErrors(node, node.default, `${path}.default`)),
    );
  }
  if (node.items !== undefined) {
    errors.push(...nodeErrors(node.items, from, (value) => around([value]), inMeta, `${path}.items`));
  }
  for (const [name, property] of node.properties) {
    const meta = inMeta || (starts && (name === "metadata" || name === "apiVersion" || name === "kind"));
    errors.push(...nodeErrors(property, from, (value) => around({ [name]: value }), meta, `${path}.properties[${name}]`));
  }
  return errors;
}

function plainDefaultErrors(node: Structural, value: Json, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const declared = node.schema["x-kubernetes-embedded-resource"] === true;
  if (!deepEqual(pruner({ ...node, embedded: declared })(value, "", []), value)) {
    errors.push(fieldError.invalid(path, value, "must not have unknown fields"));
  }
  const more = coercionErrors(node, value, path);
  if (more.length > 0) return [...errors, ...more];
  embeddedCheck(node, declared)?.(value, path, more);
  return [...errors, ...(more.length > 0 ? more : schemaErrors(node, value, path))];
}

function coercionErrors(node: Structural, value: Json, path: string): FieldError[] {
  try {
    coercer(node, false)?.(value, path, []);
    return [];
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const [field, ...detail] = error.message.split(": ");
    return [{ reason: "FieldValueInvalid", field: field!, detail: detail.join(": ") }];
  }
}

function metadataDefaultErrors(node: Structural, root: Structural, surround: Surround, path: string): FieldError[] {
  const value = node.default!;
  const invalid = (reason: string) => [fieldError.invalid(path, value, `must result in valid metadata: ${reason}`)];
  const object = surround(value);
  try {
    coerceMetadata(object, []);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return invalid(fieldErrorText(fieldError.invalid("metadata", object["metadata"], error.message)));
  }
  const errors: FieldError[] = [];
  embeddedCheck(root, true)?.(object, "", errors);
  if (errors.length > 0) {
    const texts = errors.map(fieldErrorText);
    return invalid(texts.length === 1 ? texts[0]! : `[${texts.join(", ")}]`);
  }
  return schemaErrors(node, value, path);
}

function schemaErrors(node: Structural, value: Json, path: string): FieldError[] {
  const found = findings();
  validator(node)(value, "", found, undefined);
  if (found.problems.length > 0) return fieldErrors(found.problems, path);
  const rules = ruleValidator(node, node.embedded);
  if (rules === undefined) return [];
  const errors = rules.validate(value, value, path);
  // Rules may also be about values that were not there before.
  return errors.length > 0 ? errors : rules.validate(value, undefined, path);
}

export function hasDefaults(schema: JsonSchema): boolean {
  return someSchema(schema, (at) => at.default !== undefined && at.default !== null);
}
