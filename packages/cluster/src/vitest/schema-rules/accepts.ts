import type { AnyResource } from "pintle";
import { PintleError } from "pintle/internal/errors";
import { memoize } from "pintle/internal/memoize";
import type { JsonObject } from "pintle/kinds";
import { type CompiledSchema, compileSchema, formatFieldError } from "../../schema/index.ts";
import { listSchemaRules, type SchemaRule } from "./schema-rules.ts";

/** Options of `accepts()` and `refuses()`. */
export interface SchemaCheckOptions {
  /** The version whose schema is checked. Default: the newest. */
  readonly version?: string | undefined;
  /** The spec of the stored object: checks an update, with transition rules. Default: a creation is checked. */
  readonly old?: object | undefined;
}

/** The compiled schema of one version, its rules, and which of them have refused an object. */
interface CheckedSchema {
  readonly compiled: CompiledSchema;
  /** Each with the schema without it, compiled when it is needed first. */
  readonly rules: readonly { readonly rule: SchemaRule; readonly compiled: () => CompiledSchema }[];
  readonly refused: Set<string>;
}

/** By resource and version. vitest loads this module once per test file, so coverage is that of the file. */
const checkedSchemas = new WeakMap<AnyResource, Map<string, CheckedSchema>>();

/**
 * Throws unless the schema and the CEL rules of a resource accept an object with this spec, as the API server would. Unknown fields, which the
 * API server drops, are not accepted.
 *
 * @example
 * ```ts
 * import { accepts, refuses } from "@pintle/cluster/vitest";
 * import { defineResource, z } from "pintle";
 *
 * const Memcached = defineResource({ group: "example.com", version: "v1", kind: "Memcached", spec: z.object({ size: z.int32().max(9) }) });
 *
 * accepts(Memcached, { size: 9 });
 * refuses(Memcached, { size: 10 }, "should be less than or equal to 9");
 * ```
 */
export function accepts(resource: AnyResource, spec: object, options: SchemaCheckOptions = {}): void {
  const { errors } = validateSpec(resource, spec, options);
  if (errors.length > 0)
    throw new PintleError("PINTLE6543", `${resource.kind} was expected to accept this spec, but refuses it: ${errors.join("; ")}`);
}

/**
 * Throws unless the schema or a CEL rule of a resource refuses an object with this spec, with an error that contains `message`. Records
 * which rules refused it, for `unrefusedRules()`.
 *
 * @example
 * ```ts
 * import { refuses } from "@pintle/cluster/vitest";
 * import { defineResource, immutable, z } from "pintle";
 *
 * const Disk = defineResource({ group: "example.com", version: "v1", kind: "Disk", spec: z.object({ zone: immutable(z.string()) }) });
 *
 * refuses(Disk, { zone: "b" }, "immutable", { old: { zone: "a" } });
 * ```
 */
export function refuses(resource: AnyResource, spec: object, message: string, options: SchemaCheckOptions = {}): void {
  const { errors, checked, validate } = validateSpec(resource, spec, options);
  if (errors.length === 0)
    throw new PintleError("PINTLE6543", `${resource.kind} was expected to refuse this spec with "${message}", but accepts it`);
  if (!errors.some((text) => text.includes(message)))
    throw new PintleError(
      "PINTLE6543",
      `${resource.kind} was expected to refuse this spec with "${message}", but says: ${errors.join("; ")}`,
    );
  // Beside other errors, CEL rules are not evaluated, which is an error too: no rule refuses by it.
  const refusals = errors.filter((text) => !text.includes("some validation rules were not checked"));
  for (const { rule, compiled } of checked.rules) {
    if (checked.refused.has(rule.name)) continue;
    const withoutRule = validate(compiled());
    if (refusals.some((text) => !withoutRule.includes(text))) checked.refused.add(rule.name);
  }
}

/**
 * Returns the rules of a resource's spec, CEL rules and other constraints, that have not refused an object in `refuses()` in this test file.
 *
 * @example
 * ```ts
 * import { unrefusedRules } from "@pintle/cluster/vitest";
 * import { defineResource, z } from "pintle";
 *
 * const Memcached = defineResource({ group: "example.com", version: "v1", kind: "Memcached", spec: z.object({ size: z.int32().max(9) }) });
 *
 * console.log(unrefusedRules(Memcached)); // ["spec: required size", "spec.size: maximum 9"]
 * ```
 */
export function unrefusedRules(resource: AnyResource, options: Pick<SchemaCheckOptions, "version"> = {}): readonly string[] {
  const { rules, refused } = checkedSchemaOf(resource, options.version ?? resource.version);
  return rules.map(({ rule }) => rule.name).filter((name) => !refused.has(name));
}

function validateSpec(resource: AnyResource, spec: object, { version = resource.version, old }: SchemaCheckOptions) {
  const checked = checkedSchemaOf(resource, version);
  const metadata = { name: "example", ...(resource.scope === "Cluster" ? {} : { namespace: "default" }) };
  const build = (spec: object) =>
    ({ apiVersion: `${resource.group}/${version}`, kind: resource.kind, metadata, spec }) as unknown as JsonObject;
  const { object, unknown } = checked.compiled.prune(build(spec));
  const [created, stored] = [checked.compiled.default(object), old === undefined ? undefined : checked.compiled.default(build(old))];
  const unknownFields = unknown.map((path) => `${path}: unknown field`);
  const validate = (compiled: CompiledSchema) => [...unknownFields, ...compiled.validate(created, stored).map(formatFieldError)];
  return { checked, validate, errors: validate(checked.compiled) };
}

function checkedSchemaOf(resource: AnyResource, version: string): CheckedSchema {
  const byVersion = checkedSchemas.get(resource) ?? new Map<string, CheckedSchema>();
  checkedSchemas.set(resource, byVersion);
  const known = byVersion.get(version);
  if (known !== undefined) return known;
  const { versions } = resource.crd().spec;
  const found = versions.find(({ name }) => name === version);
  if (found === undefined)
    throw new PintleError(
      "PINTLE6543",
      `${resource.kind} has no version ${version}; it has ${versions.map(({ name }) => name).join(", ")}`,
    );
  const schema = found.schema.openAPIV3Schema as unknown as JsonObject;
  const rules = listSchemaRules(schema).map((rule) => ({
    rule,
    compiled: memoize(() => compileSchema(rule.remove(schema) as never)),
  }));
  const checked = { compiled: compileSchema(schema as never), rules, refused: new Set<string>() };
  byVersion.set(version, checked);
  return checked;
}
