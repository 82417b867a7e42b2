import type { JsonObject, Shape } from "pintle/kinds";
import { resourceShape } from "pintle/merge";
import type { FieldError } from "../status/index.ts";
import { defaulter } from "./defaults.ts";
import { coerceMetadata, coercer } from "./embedded.ts";
import type { JsonSchema } from "./json-schema.ts";
import { nullDropper } from "./nulls.ts";
import { pruner } from "./prune.ts";
import type { Warn } from "./rules/index.ts";
import { structural } from "./structural.ts";
import { objectValidator } from "./validate/object-validator.ts";
import type { ScalePaths } from "./validate/scale.ts";

export interface Pruned {
  readonly object: JsonObject;
  /** Paths of the fields that were dropped, as strict decoding names them: `spec.list[0].foo`. */
  readonly unknown: readonly string[];
}

/**
 * What a version of a custom resource does with objects. All of it is pure: objects are never changed, and an object
 * that needs no change comes back as the same value.
 */
export interface CompiledSchema {
  /**
   * What decoding does: drops unknown fields and nulls that are neither allowed nor replaced by a default, and brings
   * metadata, also of embedded objects, into stored form. Metadata of a wrong type throws a DecodeError.
   */
  prune(object: JsonObject): Pruned;
  default(object: JsonObject): JsonObject;
  /**
   * With `old`: an update. Transition rules apply, and errors in parts that did not change are let pass; those that
   * rules would have reported go to `warn`, for a Warning header each.
   */
  validate(object: JsonObject, old?: JsonObject, warn?: Warn): FieldError[];
  /** The same for an update through the status subresource, where only .status is looked at. */
  validateStatus(object: JsonObject, old: JsonObject, warn?: Warn): FieldError[];
  readonly shape: Shape;
}

export interface SchemaOptions {
  readonly scale?: ScalePaths | undefined;
}

/** Compiles the schema of one version of a CRD; each part on its first use. */
export function compileSchema(schema: JsonSchema, options: SchemaOptions = {}): CompiledSchema {
  const root = structural(schema, true);
  const prune = once(() => pruner(root));
  const dropNulls = once(() => nullDropper(root));
  const coerce = once(() => coercer(root, true));
  const fill = once(() => defaulter(root));
  const validator = once(() => objectValidator(root, options.scale));
  const shape = once(() => resourceShape(schema as JsonObject));
  return {
    prune(object) {
      const unknown: string[] = [];
      const withMetadata = coerceMetadata(object, unknown);
      const dropped: string[] = [];
      const pruned = dropNulls()(prune()(withMetadata, "", dropped));
      unknown.push(...dropped.sort());
      const foreign: string[] = [];
      const coerced = coerce()?.(pruned, "", foreign) ?? pruned;
      unknown.push(...foreign.sort());
      return { object: coerced as JsonObject, unknown };
    },
    default: (object) => (fill()?.(object) ?? object) as JsonObject,
    validate: (object, old, warn) => validator().validate(object, old, warn),
    validateStatus: (object, old, warn) => validator().validateStatus(object, old, warn),
    get shape() {
      return shape();
    },
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
