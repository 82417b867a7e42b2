import type { Json, JsonObject } from "pintle/kinds";
import { type FieldError, fieldError, formatFieldError } from "../../status/index.ts";
import { DecodeError } from "../decode/index.ts";
import type { JsonSchema } from "../json-schema.ts";
import { createMatchBudget, type MatchBudget } from "../re2/index.ts";
import { coerceMetadata, compileMetadataCoercer } from "../structural/metadata-coercion.ts";
import { compilePruner } from "../structural/pruning.ts";
import { type StructuralSchema, toStructuralSchema } from "../structural/structural-schema.ts";
import { deepEqual } from "../validation/deep-equal.ts";
import { compileEmbeddedResourceCheck } from "../validation/embedded-resource.ts";
import { createValidationResult, toFieldErrors } from "../validation/validation-result.ts";
import { compileValidator } from "../validation/validator.ts";
import { compileRuleValidator } from "../validation-rules/index.ts";
import { someSubschema } from "./subschemas.ts";

/** Builds the enclosing resource around a value, because the metadata of a resource is validated as a whole. */
type RootObjectBuilder = (value: Json) => JsonObject;

const buildRootObject: RootObjectBuilder = (value) => ({ apiVersion: "validation/v1", kind: "Validation", ...(value as JsonObject) });

/** Validates defaults: they must satisfy the schema and must not contain fields that pruning would drop. */
export function validateDefaults(schema: JsonSchema, path: string): FieldError[] {
  const root = toStructuralSchema(schema, true);
  return validateNodeDefaults(root, root, buildRootObject, false, path, createMatchBudget());
}

function validateNodeDefaults(
  node: StructuralSchema,
  root: StructuralSchema,
  buildParentRoot: RootObjectBuilder,
  insideMeta: boolean,
  path: string,
  matchBudget: MatchBudget,
): FieldError[] {
  const startsResource = node.isResource;
  const from = startsResource ? node : root;
  const buildRoot = startsResource ? buildRootObject : buildParentRoot;
  const inMeta = startsResource ? false : insideMeta;
  const errors: FieldError[] = [];
  if (node.default !== undefined) {
    errors.push(
      ...(inMeta
        ? validateMetadataDefault(node, from, buildRoot, `${path}.default`, matchBudget)
        : validatePlainDefault(node, node.default, `${path}.default`, matchBudget)),
    );
  }
  if (node.items !== undefined) {
    errors.push(...validateNodeDefaults(node.items, from, (value) => buildRoot([value]), inMeta, `${path}.items`, matchBudget));
  }
  for (const [name, property] of node.properties) {
    const meta = inMeta || (startsResource && (name === "metadata" || name === "apiVersion" || name === "kind"));
    errors.push(
      ...validateNodeDefaults(property, from, (value) => buildRoot({ [name]: value }), meta, `${path}.properties[${name}]`, matchBudget),
    );
  }
  return errors;
}

function validatePlainDefault(node: StructuralSchema, value: Json, path: string, matchBudget: MatchBudget): FieldError[] {
  const errors: FieldError[] = [];
  const declared = node.schema["x-kubernetes-embedded-resource"] === true;
  if (!deepEqual(compilePruner({ ...node, isResource: declared })(value, "", []), value)) {
    errors.push(fieldError.invalid(path, value, "must not have unknown fields"));
  }
  const more = validateCoercion(node, value, path);
  if (more.length > 0) return [...errors, ...more];
  compileEmbeddedResourceCheck(node, declared)?.(value, path, more);
  return [...errors, ...(more.length > 0 ? more : validateAgainstSchema(node, value, path, matchBudget))];
}

function validateCoercion(node: StructuralSchema, value: Json, path: string): FieldError[] {
  try {
    compileMetadataCoercer(node, false)?.(value, path, []);
    return [];
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const [field, ...detail] = error.message.split(": ");
    return [{ reason: "FieldValueInvalid", field: field!, detail: detail.join(": ") }];
  }
}

function validateMetadataDefault(
  node: StructuralSchema,
  root: StructuralSchema,
  buildRoot: RootObjectBuilder,
  path: string,
  matchBudget: MatchBudget,
): FieldError[] {
  const value = node.default!;
  const invalid = (reason: string) => [fieldError.invalid(path, value, `must result in valid metadata: ${reason}`)];
  const object = buildRoot(value);
  try {
    coerceMetadata(object, []);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return invalid(formatFieldError(fieldError.invalid("metadata", object["metadata"], error.message)));
  }
  const errors: FieldError[] = [];
  compileEmbeddedResourceCheck(root, true)?.(object, "", errors);
  if (errors.length > 0) {
    const texts = errors.map(formatFieldError);
    return invalid(texts.length === 1 ? texts[0]! : `[${texts.join(", ")}]`);
  }
  return validateAgainstSchema(node, value, path, matchBudget);
}

function validateAgainstSchema(node: StructuralSchema, value: Json, path: string, matchBudget: MatchBudget): FieldError[] {
  const found = createValidationResult(matchBudget);
  compileValidator(node)(value, "", found, undefined);
  if (found.violations.length > 0) return toFieldErrors(found.violations, path);
  const rules = compileRuleValidator(node, node.isResource);
  if (rules === undefined) return [];
  const errors = rules.validate(value, value, path);
  // Also evaluate the rules without an old value.
  return errors.length > 0 ? errors : rules.validate(value, undefined, path);
}

export function hasDefaults(schema: JsonSchema): boolean {
  return someSubschema(schema, (at) => at.default !== undefined && at.default !== null);
}
