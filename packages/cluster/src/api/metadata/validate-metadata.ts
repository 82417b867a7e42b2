import { memoize } from "pintle/internal/memoize";
import type { JsonObject, OwnerReference, Scope } from "pintle/kinds";
import {
  type FieldError,
  fieldError,
  VerbatimValue,
  validateDnsLabel,
  validateDnsSubdomain,
  validateLabelValue,
  validatePathSegment,
  validateQualifiedName,
} from "../../status/index.ts";
import { getMetadata } from "./object-meta.ts";

const ANNOTATIONS_LIMIT = 256 * 1024;
const ORPHAN = "orphan";
const FOREGROUND = "foregroundDeletion";

export type NameValidator = (name: string, prefix: boolean) => readonly string[];

/** Validates a name as most kinds do. */
export const validateSubdomainName: NameValidator = (name, prefix) => validateDnsSubdomain(prefix ? maskTrailingDash(name) : name);
export const validateLabelName: NameValidator = (name, prefix) => validateDnsLabel(prefix ? maskTrailingDash(name) : name);
/** kube-apiserver masks the character before the trailing dash too. */
const maskTrailingDash = (name: string) => (name.length > 1 && name.endsWith("-") ? `${name.slice(0, -2)}a` : name);

/** Validates the metadata of any kind, on create and update. */
export function validateMetadata(object: JsonObject, scope: Scope, nameRule: NameValidator = validatePathSegment): FieldError[] {
  const metadata = getMetadata(object);
  const errors: FieldError[] = [];
  const fieldPath = (field: string) => `metadata.${field}`;
  const { name = "", generateName = "", namespace = "" } = metadata;

  if (generateName !== "") {
    for (const problem of nameRule(generateName, true)) errors.push(fieldError.invalid(fieldPath("generateName"), generateName, problem));
  }
  if (name === "") errors.push(fieldError.required(fieldPath("name"), "name or generateName is required"));
  else for (const problem of nameRule(name, false)) errors.push(fieldError.invalid(fieldPath("name"), name, problem));

  if (scope === "Namespaced") {
    if (namespace === "") errors.push(fieldError.required(fieldPath("namespace")));
    else for (const problem of validateDnsLabel(namespace)) errors.push(fieldError.invalid(fieldPath("namespace"), namespace, problem));
  } else if (namespace !== "") errors.push(fieldError.forbidden(fieldPath("namespace"), "not allowed on this type"));

  for (const [key, value] of Object.entries(metadata.labels ?? {})) {
    for (const problem of validateQualifiedName(key)) errors.push(fieldError.invalid(fieldPath("labels"), key, problem));
    for (const problem of validateLabelValue(value)) errors.push(fieldError.invalid(fieldPath("labels"), value, problem));
  }

  let size = 0;
  for (const [key, value] of Object.entries(metadata.annotations ?? {})) {
    for (const problem of validateQualifiedName(key.toLowerCase())) errors.push(fieldError.invalid(fieldPath("annotations"), key, problem));
    size += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (size > ANNOTATIONS_LIMIT) errors.push(fieldError.tooLong(fieldPath("annotations"), ANNOTATIONS_LIMIT));

  errors.push(...validateOwnerReferences(metadata.ownerReferences ?? [], fieldPath("ownerReferences")));
  const finalizers = metadata.finalizers ?? [];
  for (const finalizer of finalizers) {
    for (const problem of validateQualifiedName(finalizer)) errors.push(fieldError.invalid(fieldPath("finalizers"), finalizer, problem));
  }
  if (finalizers.includes(ORPHAN) && finalizers.includes(FOREGROUND)) {
    errors.push(fieldError.invalid(fieldPath("finalizers"), finalizers, `finalizer ${ORPHAN} and ${FOREGROUND} cannot be both set`));
  }
  for (const [index, entry] of (metadata.managedFields ?? []).entries()) {
    if (entry.operation !== "Apply" && entry.operation !== "Update") {
      errors.push(
        fieldError.invalid(`${fieldPath("managedFields")}[${index}].operation`, entry.operation ?? "", "must be `Apply` or `Update`"),
      );
    }
    if (entry.fieldsType !== undefined && entry.fieldsType !== "" && entry.fieldsType !== "FieldsV1") {
      errors.push(fieldError.invalid(`${fieldPath("managedFields")}[${index}].fieldsType`, entry.fieldsType, "must be `FieldsV1`"));
    }
  }
  return errors;
}

function validateOwnerReferences(owners: readonly OwnerReference[], at: string): FieldError[] {
  const errors: FieldError[] = [];
  let controller: string | undefined;
  const formatAll = memoize(() => new VerbatimValue(`[${owners.map((each) => formatOwnerReference(each).text).join(",")}]`));
  for (const owner of owners) {
    const { apiVersion = "", kind = "", name = "", uid = "" } = owner;
    if (apiVersion === "") errors.push(fieldError.invalid(`${at}.apiVersion`, apiVersion, "version must not be empty"));
    if (kind === "") errors.push(fieldError.invalid(`${at}.kind`, kind, "must not be empty"));
    if (name === "") errors.push(fieldError.invalid(`${at}.name`, name, "must not be empty"));
    if (uid === "") errors.push(fieldError.invalid(`${at}.uid`, uid, "must not be empty"));
    if (apiVersion === "v1" && kind === "Event") {
      errors.push(fieldError.invalid(at, formatOwnerReference(owner), "/v1, Kind=Event is disallowed from being an owner"));
    }
    if (owner.controller !== true) continue;
    const mine = `${kind}/${name}`;
    if (controller === undefined) controller = mine;
    else {
      const why = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${mine}`;
      errors.push(fieldError.invalid(at, formatAll(), why));
    }
  }
  return errors;
}

/** Formats an owner reference with its fields in Go's order. */
function formatOwnerReference({
  apiVersion = "",
  kind = "",
  name = "",
  uid = "",
  controller,
  blockOwnerDeletion,
}: OwnerReference): VerbatimValue {
  return new VerbatimValue(JSON.stringify({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }));
}

const REPEATED = /^metadata\.(labels|annotations|ownerReferences)\b/;

/** Repeats errors about metadata: kube-apiserver validates some fields of an update several times, of built-in kinds once more, and reports each. */
export function repeatMetadataErrors(errors: readonly FieldError[], typed: boolean): readonly FieldError[] {
  const again = errors.filter(({ field }) => REPEATED.test(field));
  return [...again, ...again, ...(typed ? again : [])];
}

const IMMUTABLE = "field is immutable";

/** Validates that an update leaves immutable metadata alone. */
export function validateMetadataUpdate(next: JsonObject, live: JsonObject): FieldError[] {
  const now = getMetadata(next);
  const was = getMetadata(live);
  const errors: FieldError[] = [];
  if (was.deletionTimestamp !== undefined) {
    const known = new Set(was.finalizers);
    const extra = (now.finalizers ?? []).filter((finalizer) => !known.has(finalizer)).sort();
    if (extra.length > 0) {
      const shown = `[]string{${extra.map((each) => JSON.stringify(each)).join(", ")}}`;
      const why = `no new finalizers can be added if the object is being deleted, found new finalizers ${shown}`;
      errors.push(fieldError.forbidden("metadata.finalizers", why));
    }
  }
  if ((now.generation ?? 0) < (was.generation ?? 0)) {
    errors.push(fieldError.invalid("metadata.generation", now.generation ?? 0, "must not be decremented"));
  }
  for (const field of ["name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"] as const) {
    if (now[field] !== was[field]) errors.push(fieldError.invalid(`metadata.${field}`, now[field] ?? null, IMMUTABLE));
  }
  return errors;
}
