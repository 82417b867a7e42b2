import type { JsonObject } from "pintle/kinds";
import { dns1035Problems, dnsSubdomainProblems, type FieldError, fieldError } from "../../status/index.ts";
import { deepEqual } from "../validate/equal.ts";
import { approvalErrors } from "./approval-rules.ts";
import { conversionErrors, hasKnownVersion, isCaBundle } from "./conversion-rules.ts";
import { type CrdSpec, type CrdVersion, type CustomResourceDefinition, isEstablished } from "./crd.ts";
import { hasDefaults } from "./default-rules.ts";
import { type InternalSpec, internalSpec, printedVersions } from "./internal-form.ts";
import { nameErrors } from "./names-rules.ts";
import { columnErrors, deprecationErrors, selectableErrors, subresourceErrors } from "./version-rules.ts";
import { versionSchemaErrors } from "./version-schema-rules.ts";

/**
 * What is wrong with a CRD that went through `defaultCrd`, beyond what is wrong with metadata of any kind. With `old`:
 * what is wrong with the update.
 */
export function validateCrd(object: JsonObject, old?: JsonObject): FieldError[] {
  const crd = object as unknown as CustomResourceDefinition;
  const before = old as unknown as CustomResourceDefinition | undefined;
  const { spec, status = {} } = crd;
  return [
    ...(before === undefined ? objectNameErrors(crd) : []),
    ...specErrors(spec, before),
    ...(before === undefined ? [] : immutabilityErrors(spec, before)),
    ...nameErrors(status.acceptedNames ?? {}, "status.acceptedNames"),
    ...storedVersionErrors(status.storedVersions ?? [], spec.versions ?? []),
    ...approvalErrors(crd, before),
    ...(spec.preserveUnknownFields === true ? [fieldError.invalid("spec.preserveUnknownFields", true, PRESERVE)] : []),
  ];
}

const PRESERVE = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";

function objectNameErrors({ metadata, spec }: CustomResourceDefinition): FieldError[] {
  const name = metadata?.name ?? "";
  if (name === "" || name === `${spec.names?.plural ?? ""}.${spec.group ?? ""}`) return [];
  return [fieldError.invalid("metadata.name", name, 'must be spec.names.plural+"."+spec.group')];
}

function specErrors(spec: CrdSpec, before: CustomResourceDefinition | undefined): FieldError[] {
  const errors: FieldError[] = [];
  const internal = internalSpec(spec);
  const { shared, versions } = internal;
  const preserves = spec.preserveUnknownFields === true;
  errors.push(...groupErrors(spec.group ?? ""), ...scopeErrors(spec.scope ?? ""));
  if (shared.schema?.openAPIV3Schema === undefined) {
    for (const [i, { schema }] of versions.entries()) {
      if (schema?.openAPIV3Schema === undefined) errors.push(fieldError.required(`spec.versions[${i}].schema.openAPIV3Schema`));
    }
  }
  const schemas = [shared, ...versions].flatMap(({ schema }) => schema?.openAPIV3Schema ?? []);
  if (preserves && schemas.some(hasDefaults)) {
    errors.push(fieldError.invalid("spec.preserveUnknownFields", true, "must be false in order to use defaults in the schema"));
  }
  for (const [i, version] of versions.entries()) errors.push(...versionErrors(version, i, internal, before));
  errors.push(...versionListErrors(spec, versions));
  const { names = {} } = spec;
  for (const field of ["plural", "singular", "kind", "listKind"] as const) {
    if ((names[field] ?? "") === "") errors.push(fieldError.required(`spec.names.${field}`));
  }
  errors.push(...nameErrors(names, "spec.names"), ...sharedErrors(internal, before));
  const { conversion } = spec;
  if (preserves && conversion !== undefined && conversion.strategy !== "None") {
    const must = "must be None if spec.preserveUnknownFields is true";
    errors.push(fieldError.invalid("spec.conversion.strategy", conversion.strategy ?? "", must));
  }
  const reviewed = before?.spec.conversion?.webhook?.conversionReviewVersions ?? [];
  errors.push(
    ...conversionErrors(conversion, {
      requireKnownVersion: reviewed.length === 0 || hasKnownVersion(reviewed),
      allowInvalidCaBundle: allowsInvalidCaBundle(before),
    }),
  );
  return errors;
}

function groupErrors(group: string): FieldError[] {
  if (group === "") return [fieldError.required("spec.group")];
  const problems = dnsSubdomainProblems(group);
  if (problems.length > 0) return [fieldError.invalid("spec.group", group, problems.join(","))];
  return group.includes(".") ? [] : [fieldError.invalid("spec.group", group, "should be a domain with at least one dot")];
}

function scopeErrors(scope: string): FieldError[] {
  if (scope === "") return [fieldError.required("spec.scope")];
  const scopes = ["Cluster", "Namespaced"];
  return scopes.includes(scope) ? [] : [fieldError.notSupported("spec.scope", scope, scopes)];
}

function versionErrors(
  version: CrdVersion,
  index: number,
  internal: InternalSpec,
  before: CustomResourceDefinition | undefined,
): FieldError[] {
  const path = `spec.versions[${index}]`;
  const { schema, subresources, additionalPrinterColumns: columns = [], selectableFields = [] } = version;
  const status = (internal.versions.some((one) => one.subresources !== undefined) ? subresources : internal.shared.subresources)?.status;
  const errors: FieldError[] = [];
  const problems = dns1035Problems(version.name ?? "");
  if (problems.length > 0) errors.push(fieldError.invalid(`${path}.name`, version.name, problems.join(",")));
  errors.push(...deprecationErrors(version, path), ...versionSchemaErrors(schema, status !== undefined, `${path}.schema`));
  errors.push(...subresourceErrors(subresources, `${path}.subresources`));
  for (const [i, column] of columns.entries()) errors.push(...columnErrors(column, `${path}.additionalPrinterColumns[${i}]`));
  if (selectableFields.length > 0) {
    const at = `${path}.selectableFields`;
    const root = schema?.openAPIV3Schema;
    if (root === undefined) {
      errors.push(fieldError.invalid(at, "", "may only be set when `version.schema.openAPIV3Schema` is not included"));
    } else {
      const was = before?.spec.versions?.find(({ name }) => name === version.name)?.selectableFields;
      errors.push(
        ...selectableErrors(
          selectableFields,
          root,
          at,
          deepEqual((was ?? null) as JsonObject | null, selectableFields as unknown as JsonObject),
        ),
      );
    }
  }
  return errors;
}

/** What all versions have in common. */
function sharedErrors({ shared, versions }: InternalSpec, before: CustomResourceDefinition | undefined): FieldError[] {
  const { schema, subresources, additionalPrinterColumns: columns = [], selectableFields = [] } = shared;
  const status = [shared, ...versions].some((one) => one.subresources?.status !== undefined);
  const errors = versionSchemaErrors(schema, status, "spec.validation");
  errors.push(...subresourceErrors(subresources, "spec.subresources"));
  for (const [i, column] of columns.entries()) errors.push(...columnErrors(column, `spec.additionalPrinterColumns[${i}]`));
  if (selectableFields.length === 0) return errors;
  const root = schema?.openAPIV3Schema;
  if (root === undefined) {
    errors.push(fieldError.invalid("spec.selectableFields", "", "may only be set when validations.schema is included"));
  } else {
    const was = before && internalSpec(before.spec).shared.selectableFields;
    const same = deepEqual((was ?? null) as JsonObject | null, selectableFields as unknown as JsonObject);
    errors.push(...selectableErrors(selectableFields, root, "spec.selectableFields", same));
  }
  return errors;
}

function versionListErrors(spec: CrdSpec, versions: readonly CrdVersion[]): FieldError[] {
  const errors: FieldError[] = [];
  if (new Set(versions.map(({ name }) => name)).size < versions.length) {
    errors.push(fieldError.invalid("spec.versions", printedVersions(versions), "must contain unique version names"));
  }
  if (versions.filter(({ storage }) => storage === true).length !== 1) {
    errors.push(fieldError.invalid("spec.versions", printedVersions(versions), "must have exactly one version marked as storage version"));
  }
  const first = spec.versions?.[0]?.name ?? "";
  const problems = first === "" ? [] : dns1035Problems(first);
  if (problems.length > 0) errors.push(fieldError.invalid("spec.version", first, problems.join(",")));
  return errors;
}

function storedVersionErrors(stored: readonly string[], versions: readonly CrdVersion[]): FieldError[] {
  const path = "status.storedVersions";
  if (stored.length === 0) return [fieldError.invalid(path, null, "must have at least one stored version")];
  const errors: FieldError[] = [];
  for (const { name, storage } of versions) {
    if (storage === true && !stored.includes(name)) errors.push(fieldError.invalid(path, stored, `must have the storage version ${name}`));
  }
  for (const [i, name] of stored.entries()) {
    if (versions.some((version) => version.name === name)) continue;
    const why = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    errors.push(fieldError.invalid(`${path}[${i}]`, name, why));
  }
  return errors;
}

function immutabilityErrors(spec: CrdSpec, before: CustomResourceDefinition): FieldError[] {
  const { names: was = {} } = before.spec;
  const { names = {} } = spec;
  const errors: FieldError[] = [];
  const keep = (path: string, value: string | undefined, old: string | undefined) => {
    if (value !== old) errors.push(fieldError.invalid(path, value ?? "", "field is immutable"));
  };
  if (isEstablished(before)) {
    keep("spec.scope", spec.scope, before.spec.scope);
    keep("spec.names.kind", names.kind, was.kind);
  }
  keep("spec.group", spec.group, before.spec.group);
  keep("spec.names.plural", names.plural, was.plural);
  return errors;
}

/** A bundle may stay broken, and may be broken until the CRD is established. */
function allowsInvalidCaBundle(before: CustomResourceDefinition | undefined): boolean {
  if (before === undefined || !isEstablished(before)) return true;
  const bundle = before.spec.conversion?.webhook?.clientConfig?.caBundle ?? "";
  return bundle !== "" && !isCaBundle(bundle);
}
