import { memoize } from "pintle/internal/memoize";
import { resourceShapeFromSchema } from "pintle/internal/merge";
import type { JsonObject, Shape } from "pintle/kinds";
import type { FieldError } from "../status/index.ts";
import type { JsonSchema } from "./json-schema.ts";
import { compileDefaulter } from "./structural/defaulting.ts";
import { coerceMetadata, compileMetadataCoercer } from "./structural/metadata-coercion.ts";
import { compileNullPruner } from "./structural/null-pruning.ts";
import { compilePruner } from "./structural/pruning.ts";
import { toStructuralSchema } from "./structural/structural-schema.ts";
import { compileObjectValidator } from "./validation/object-validator.ts";
import type { ScalePaths } from "./validation/scale.ts";
import type { ValidationWarningHandler } from "./validation-rules/index.ts";

/** The result of pruning an object. */
export interface PruneResult {
  /** The object without unknown fields; the same object if it had none. */
  readonly object: JsonObject;
  /** Paths of the dropped fields, as strict decoding reports them: `spec.list[0].foo`. */
  readonly unknown: readonly string[];
}

/**
 * The compiled schema of one version of a custom resource. All methods are pure: they never change their arguments, and
 * return the same object if nothing changes.
 */
export interface CompiledSchema {
  /**
   * Decodes an object as the API server does: drops unknown fields, and nulls that are neither allowed nor replaced by
   * a default, and normalizes metadata, also that of embedded resources. Throws `DecodeError` if metadata has the wrong
   * type.
   */
  prune(object: JsonObject): PruneResult;
  /** Sets the defaults of missing fields. Inserted values are shared and frozen. */
  default(object: JsonObject): JsonObject;
  /**
   * Validates an object; with `old`, an update. For an update, transition rules apply and validation ratcheting ignores
   * errors in unchanged values; ignored errors of CEL rules go to `warn`, one Warning header each.
   */
  validate(object: JsonObject, old?: JsonObject, warn?: ValidationWarningHandler): FieldError[];
  /** Validates an update through the status subresource, which checks only `.status`. */
  validateStatus(object: JsonObject, old: JsonObject, warn?: ValidationWarningHandler): FieldError[];
  /** How fields and lists merge, for server-side apply. */
  readonly shape: Shape;
}

/** Options of `compileSchema`. */
export interface CompileSchemaOptions {
  /** Paths of the scale subresource, whose values `validate` checks as well. Default: none. */
  readonly scale?: ScalePaths | undefined;
}

/**
 * Compiles the schema of one version of a CRD. Each part is compiled on its first use. The schema must be valid; see `validateCrd`.
 *
 * @example
 * ```ts
 * import { compileSchema, formatFieldError } from "@pintle/cluster/schema";
 *
 * const size = { type: "integer", default: 1, maximum: 5 };
 * const schema = compileSchema({ type: "object", properties: { spec: { type: "object", properties: { size } } } });
 * const widget = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "demo" }, spec: { size: 7, color: "red" } };
 *
 * const { object, unknown } = schema.prune(widget);
 * console.log(unknown); // ["spec.color"]
 * console.log(schema.validate(schema.default(object)).map(formatFieldError));
 * ```
 */
export function compileSchema(schema: JsonSchema, options: CompileSchemaOptions = {}): CompiledSchema {
  const root = toStructuralSchema(schema, true);
  const prune = memoize(() => compilePruner(root));
  const dropNulls = memoize(() => compileNullPruner(root));
  const coerce = memoize(() => compileMetadataCoercer(root, true));
  const applyDefaults = memoize(() => compileDefaulter(root));
  const validator = memoize(() => compileObjectValidator(root, options.scale));
  const shape = memoize(() => resourceShapeFromSchema(schema as JsonObject));
  return {
    prune(object) {
      const unknown: string[] = [];
      const withMetadata = coerceMetadata(object, unknown);
      const dropped: string[] = [];
      const pruned = dropNulls()(prune()(withMetadata, "", dropped));
      unknown.push(...dropped.sort());
      const unknownEmbedded: string[] = [];
      const coerced = coerce()?.(pruned, "", unknownEmbedded) ?? pruned;
      unknown.push(...unknownEmbedded.sort());
      return { object: coerced as JsonObject, unknown };
    },
    default: (object) => (applyDefaults()?.(object) ?? object) as JsonObject,
    validate: (object, old, warn) => validator().validate(object, old, warn),
    validateStatus: (object, old, warn) => validator().validateStatus(object, old, warn),
    get shape() {
      return shape();
    },
  };
}
