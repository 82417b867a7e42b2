import { quoteGoString } from "pintle/internal/go-format";
import type { JsonObject } from "pintle/kinds";
import { type FieldError, fieldError, validateDns1035Label, validateDnsSubdomain } from "../../status/index.ts";
import { deepEqual } from "../validation/deep-equal.ts";
import { getKnownFormat } from "../validation/validator.ts";
import { validateApiApproval } from "./api-approval.ts";
import { hasSupportedReviewVersion, isCaBundle, validateConversion } from "./conversion-validation.ts";
import { type CrdNames, type CrdSpec, type CrdVersion, type CustomResourceDefinition, isEstablished } from "./crd.ts";
import { hasDefaults } from "./default-validation.ts";
import { type InternalCrdSpec, printVersions, toInternalSpec } from "./internal-version.ts";
import { someSubschema } from "./subschemas.ts";
import { validateVersionSchema } from "./version-schema-validation.ts";
import { validateDeprecationWarning, validatePrinterColumn, validateSelectableFields, validateSubresources } from "./version-validation.ts";

/**
 * Validates a CRD that was defaulted with `defaultCrd`; with `old`, an update of it. Returns the errors that kube-apiserver reports, in its
 * order, including those of CEL rules and their estimated costs. Generic validation of object metadata is not included.
 *
 * @example
 * ```ts
 * import { defaultCrd, formatFieldError, validateCrd } from "@pintle/cluster/schema";
 * import type { JsonObject } from "pintle/kinds";
 *
 * const crd: JsonObject = {
 *   apiVersion: "apiextensions.k8s.io/v1",
 *   kind: "CustomResourceDefinition",
 *   metadata: { name: "widgets.example.com" },
 *   spec: {
 *     group: "example.com",
 *     scope: "Namespaced",
 *     names: { plural: "widgets", kind: "Widget" },
 *     versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
 *   },
 *   status: { storedVersions: ["v1"] },
 * };
 * for (const error of validateCrd(defaultCrd(crd))) console.error(formatFieldError(error));
 * ```
 */
export function validateCrd(object: JsonObject, old?: JsonObject): FieldError[] {
  const crd = object as unknown as CustomResourceDefinition;
  const before = old as unknown as CustomResourceDefinition | undefined;
  const { spec, status = {} } = crd;
  return [
    ...(before === undefined ? validateObjectName(crd) : []),
    ...validateSpec(spec, before),
    ...(before === undefined ? [] : validateImmutableFields(spec, before)),
    ...validateNames(status.acceptedNames ?? {}, "status.acceptedNames"),
    ...validateStoredVersions(status.storedVersions ?? [], spec.versions ?? []),
    ...validateApiApproval(crd, before),
    ...(spec.preserveUnknownFields === true ? [fieldError.invalid("spec.preserveUnknownFields", true, PRESERVE)] : []),
  ];
}

const PRESERVE = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";

function validateObjectName({ metadata, spec }: CustomResourceDefinition): FieldError[] {
  const name = metadata?.name ?? "";
  if (name === "" || name === `${spec.names?.plural ?? ""}.${spec.group ?? ""}`) return [];
  return [fieldError.invalid("metadata.name", name, 'must be spec.names.plural+"."+spec.group')];
}

function validateSpec(spec: CrdSpec, before: CustomResourceDefinition | undefined): FieldError[] {
  const errors: FieldError[] = [];
  const internal = toInternalSpec(spec);
  const { shared, versions } = internal;
  const preserves = spec.preserveUnknownFields === true;
  errors.push(...validateGroup(spec.group ?? ""), ...validateScope(spec.scope ?? ""));
  if (shared.schema?.openAPIV3Schema === undefined) {
    for (const [i, { schema }] of versions.entries()) {
      if (schema?.openAPIV3Schema === undefined) errors.push(fieldError.required(`spec.versions[${i}].schema.openAPIV3Schema`));
    }
  }
  const schemas = [shared, ...versions].flatMap(({ schema }) => schema?.openAPIV3Schema ?? []);
  if (preserves && schemas.some(hasDefaults)) {
    errors.push(fieldError.invalid("spec.preserveUnknownFields", true, "must be false in order to use defaults in the schema"));
  }
  for (const [i, version] of versions.entries()) errors.push(...validateVersion(version, i, internal, before));
  errors.push(...validateVersionList(spec, versions));
  const { names = {} } = spec;
  for (const field of ["plural", "singular", "kind", "listKind"] as const) {
    if ((names[field] ?? "") === "") errors.push(fieldError.required(`spec.names.${field}`));
  }
  errors.push(...validateNames(names, "spec.names"), ...validateSharedFields(internal, before));
  const { conversion } = spec;
  if (preserves && conversion !== undefined && conversion.strategy !== "None") {
    const must = "must be None if spec.preserveUnknownFields is true";
    errors.push(fieldError.invalid("spec.conversion.strategy", conversion.strategy ?? "", must));
  }
  const reviewed = before?.spec.conversion?.webhook?.conversionReviewVersions ?? [];
  errors.push(
    ...validateConversion(conversion, {
      requireKnownVersion: reviewed.length === 0 || hasSupportedReviewVersion(reviewed),
      allowInvalidCaBundle: allowsInvalidCaBundle(before),
    }),
  );
  return errors;
}

function validateGroup(group: string): FieldError[] {
  if (group === "") return [fieldError.required("spec.group")];
  const problems = validateDnsSubdomain(group);
  if (problems.length > 0) return [fieldError.invalid("spec.group", group, problems.join(","))];
  return group.includes(".") ? [] : [fieldError.invalid("spec.group", group, "should be a domain with at least one dot")];
}

function validateScope(scope: string): FieldError[] {
  if (scope === "") return [fieldError.required("spec.scope")];
  const scopes = ["Cluster", "Namespaced"];
  return scopes.includes(scope) ? [] : [fieldError.notSupported("spec.scope", scope, scopes)];
}

function validateVersion(
  version: CrdVersion,
  index: number,
  internal: InternalCrdSpec,
  before: CustomResourceDefinition | undefined,
): FieldError[] {
  const path = `spec.versions[${index}]`;
  const { schema, subresources, additionalPrinterColumns: columns = [], selectableFields = [] } = version;
  const status = (internal.versions.some((one) => one.subresources !== undefined) ? subresources : internal.shared.subresources)?.status;
  const errors: FieldError[] = [];
  const problems = validateDns1035Label(version.name ?? "");
  if (problems.length > 0) errors.push(fieldError.invalid(`${path}.name`, version.name, problems.join(",")));
  errors.push(...validateDeprecationWarning(version, path), ...validateVersionSchema(schema, status !== undefined, `${path}.schema`));
  errors.push(...validateSubresources(subresources, `${path}.subresources`));
  for (const [i, column] of columns.entries()) errors.push(...validatePrinterColumn(column, `${path}.additionalPrinterColumns[${i}]`));
  if (selectableFields.length > 0) {
    const at = `${path}.selectableFields`;
    const root = schema?.openAPIV3Schema;
    if (root === undefined) {
      errors.push(fieldError.invalid(at, "", "may only be set when `version.schema.openAPIV3Schema` is not included"));
    } else {
      const was = before?.spec.versions?.find(({ name }) => name === version.name)?.selectableFields;
      errors.push(
        ...validateSelectableFields(
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

/** Validates the fields that all versions have in common. */
function validateSharedFields({ shared, versions }: InternalCrdSpec, before: CustomResourceDefinition | undefined): FieldError[] {
  const { schema, subresources, additionalPrinterColumns: columns = [], selectableFields = [] } = shared;
  const status = [shared, ...versions].some((one) => one.subresources?.status !== undefined);
  const errors = validateVersionSchema(schema, status, "spec.validation");
  errors.push(...validateSubresources(subresources, "spec.subresources"));
  for (const [i, column] of columns.entries()) errors.push(...validatePrinterColumn(column, `spec.additionalPrinterColumns[${i}]`));
  if (selectableFields.length === 0) return errors;
  const root = schema?.openAPIV3Schema;
  if (root === undefined) {
    errors.push(fieldError.invalid("spec.selectableFields", "", "may only be set when validations.schema is included"));
  } else {
    const was = before && toInternalSpec(before.spec).shared.selectableFields;
    const same = deepEqual((was ?? null) as JsonObject | null, selectableFields as unknown as JsonObject);
    errors.push(...validateSelectableFields(selectableFields, root, "spec.selectableFields", same));
  }
  return errors;
}

function validateVersionList(spec: CrdSpec, versions: readonly CrdVersion[]): FieldError[] {
  const errors: FieldError[] = [];
  if (new Set(versions.map(({ name }) => name)).size < versions.length) {
    errors.push(fieldError.invalid("spec.versions", printVersions(versions), "must contain unique version names"));
  }
  if (versions.filter(({ storage }) => storage === true).length !== 1) {
    errors.push(fieldError.invalid("spec.versions", printVersions(versions), "must have exactly one version marked as storage version"));
  }
  const first = spec.versions?.[0]?.name ?? "";
  const problems = first === "" ? [] : validateDns1035Label(first);
  if (problems.length > 0) errors.push(fieldError.invalid("spec.version", first, problems.join(",")));
  return errors;
}

function validateStoredVersions(stored: readonly string[], versions: readonly CrdVersion[]): FieldError[] {
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

function validateImmutableFields(spec: CrdSpec, before: CustomResourceDefinition): FieldError[] {
  const { names: was = {} } = before.spec;
  const { names = {} } = spec;
  const errors: FieldError[] = [];
  const requireUnchanged = (path: string, value: string | undefined, old: string | undefined) => {
    if (value !== old) errors.push(fieldError.invalid(path, value ?? "", "field is immutable"));
  };
  if (isEstablished(before)) {
    requireUnchanged("spec.scope", spec.scope, before.spec.scope);
    requireUnchanged("spec.names.kind", names.kind, was.kind);
  }
  requireUnchanged("spec.group", spec.group, before.spec.group);
  requireUnchanged("spec.names.plural", names.plural, was.plural);
  return errors;
}

/** Returns whether an invalid CA bundle is accepted: while the CRD is not established, or if it was invalid before. */
function allowsInvalidCaBundle(before: CustomResourceDefinition | undefined): boolean {
  if (before === undefined || !isEstablished(before)) return true;
  const bundle = before.spec.conversion?.webhook?.clientConfig?.caBundle ?? "";
  return bundle !== "" && !isCaBundle(bundle);
}

function validateNames(names: CrdNames, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { plural = "", singular = "", kind = "", listKind = "", shortNames = [], categories = [] } = names;
  const check = (field: string, value: string) => {
    const problems = validateDns1035Label(value);
    if (problems.length > 0) errors.push(fieldError.invalid(`${path}.${field}`, value, problems.join(",")));
  };
  const checkKind = (field: string, value: string) => {
    const problems = validateDns1035Label(value.toLowerCase());
    if (value === "" || problems.length === 0) return;
    errors.push(fieldError.invalid(`${path}.${field}`, value, `may have mixed case, but should otherwise match: ${problems.join(",")}`));
  };
  if (plural !== "") check("plural", plural);
  if (singular !== "") check("singular", singular);
  checkKind("kind", kind);
  checkKind("listKind", listKind);
  for (const [i, name] of shortNames.entries()) check(`shortNames[${i}]`, name);
  if (kind !== "" && kind === listKind) {
    errors.push(fieldError.invalid(`${path}.listKind`, listKind, "kind and listKind may not be the same"));
  }
  for (const [i, name] of categories.entries()) check(`categories[${i}]`, name);
  return errors;
}

/**
 * Returns the warnings that kube-apiserver sends for an accepted CRD: unrecognized formats. With `old`, only new ones.
 *
 * @example
 * ```ts
 * import { getCrdWarnings } from "@pintle/cluster/schema";
 * import type { JsonObject } from "pintle/kinds";
 *
 * const schema = { type: "object", properties: { spec: { type: "string", format: "color" } } };
 * const crd: JsonObject = { spec: { versions: [{ name: "v1", schema: { openAPIV3Schema: schema } }] } };
 * console.log(getCrdWarnings(crd)); // ['unrecognized format "color"']
 * ```
 */
export function getCrdWarnings(crd: JsonObject, old?: JsonObject): readonly string[] {
  const before = old === undefined ? new Set() : findUnrecognizedFormats(old);
  return [...findUnrecognizedFormats(crd)]
    .filter((format) => !before.has(format))
    .map((format) => `unrecognized format ${quoteGoString(format)}`);
}

function findUnrecognizedFormats(crd: JsonObject): Set<string> {
  const ignored = new Set<string>();
  for (const { schema } of (crd as unknown as CustomResourceDefinition).spec.versions ?? []) {
    if (schema?.openAPIV3Schema === undefined) continue;
    someSubschema(schema.openAPIV3Schema, ({ type, format }) => {
      if (format && getKnownFormat({ type, format }) === "") ignored.add(format);
      return false;
    });
  }
  return ignored;
}
