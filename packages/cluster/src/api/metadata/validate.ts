import type { JsonObject, OwnerReference, Scope } from "pintle/kinds";
import {
  dnsLabelProblems,
  dnsSubdomainProblems,
  type FieldError,
  fieldError,
  labelValueProblems,
  pathSegmentProblems,
  qualifiedNameProblems,
  Verbatim,
} from "../../status/index.ts";
import { metadataOf } from "./metadata.ts";

const ANNOTATIONS_LIMIT = 256 * 1024;
const ORPHAN = "orphan";
const FOREGROUND = "foregroundDeletion";

export type NameRule = (name: string, prefix: boolean) => readonly string[];

/** What most kinds ask of a name. */
export const subdomainName: NameRule = (name, prefix) => dnsSubdomainProblems(prefix ? maskDash(name) : name);
export const labelName: NameRule = (name, prefix) => dnsLabelProblems(prefix ? maskDash(name) : name);
/** Upstream takes the character before the dash for part of it. */
const maskDash = (name: string) => (name.length > 1 && name.endsWith("-") ? `${name.slice(0, -2)}a` : name);

/** Rules for metadata of any kind, on create and update alike. */
export function validateMetadata(object: JsonObject, scope: Scope, nameRule: NameRule = pathSegmentProblems): FieldError[] {
  const metadata = metadataOf(object);
  const errors: FieldError[] = [];
  const at = (field: string) => `metadata.${field}`;
  const { name = "", generateName = "", namespace = "" } = metadata;

  if (generateName !== "") {
    for (const problem of nameRule(generateName, true)) errors.push(fieldError.invalid(at("generateName"), generateName, problem));
  }
  if (name === "") errors.push(fieldError.required(at("name"), "name or generateName is required"));
  else for (const problem of nameRule(name, false)) errors.push(fieldError.invalid(at("name"), name, problem));

  if (scope === "Namespaced") {
    if (namespace === "") errors.push(fieldError.required(at("namespace")));
    else for (const problem of dnsLabelProblems(namespace)) errors.push(fieldError.invalid(at("namespace"), namespace, problem));
  } else if (namespace !== "") errors.push(fieldError.forbidden(at("namespace"), "not allowed on this type"));

  for (const [key, value] of Object.entries(metadata.labels ?? {})) {
    for (const problem of qualifiedNameProblems(key)) errors.push(fieldError.invalid(at("labels"), key, problem));
    for (const problem of labelValueProblems(value)) errors.push(fieldError.invalid(at("labels"), value, problem));
  }

  let size = 0;
  for (const [key, value] of Object.entries(metadata.annotations ?? {})) {
    for (const problem of qualifiedNameProblems(key.toLowerCase())) errors.push(fieldError.invalid(at("annotations"), key, problem));
    size += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (size > ANNOTATIONS_LIMIT) errors.push(fieldError.tooLong(at("annotations"), ANNOTATIONS_LIMIT));

  errors.push(...validateOwners(metadata.ownerReferences ?? [], at("ownerReferences")));
  const finalizers = metadata.finalizers ?? [];
  for (const finalizer of finalizers) {
    for (const problem of qualifiedNameProblems(finalizer)) errors.push(fieldError.invalid(at("finalizers"), finalizer, problem));
  }
  if (finalizers.includes(ORPHAN) && finalizers.includes(FOREGROUND)) {
    errors.push(fieldError.invalid(at("finalizers"), finalizers, `finalizer ${ORPHAN} and ${FOREGROUND} cannot be both set`));
  }
  for (const [index, entry] of (metadata.managedFields ?? []).entries()) {
    if (entry.operation !== "Apply" && entry.operation !== "Update") {
      errors.push(fieldError.invalid(`${at("managedFields")}[${index}].operation`, entry.operation ?? "", "must be `Apply` or `Update`"));
    }
    if (entry.fieldsType !== undefined && entry.fieldsType !== "" && entry.fieldsType !== "FieldsV1") {
      errors.push(fieldError.invalid(`${at("managedFields")}[${index}].fieldsType`, entry.fieldsType, "must be `FieldsV1`"));
    }
  }
  return errors;
}

function validateOwners(owners: readonly OwnerReference[], at: string): FieldError[] {
  const errors: FieldError[] = [];
  let controller: string | undefined;
  for (const owner of owners) {
    const { apiVersion = "", kind = "", name = "", uid = "" } = owner;
    if (apiVersion === "") errors.push(fieldError.invalid(`${at}.apiVersion`, apiVersion, "version must not be empty"));
    if (kind === "") errors.push(fieldError.invalid(`${at}.kind`, kind, "must not be empty"));
    if (name === "") errors.push(fieldError.invalid(`${at}.name`, name, "must not be empty"));
    if (uid === "") errors.push(fieldError.invalid(`${at}.uid`, uid, "must not be empty"));
    if (apiVersion === "v1" && kind === "Event") {
      errors.push(fieldError.invalid(at, ownerText(owner), "/v1, Kind=Event is disallowed from being an owner"));
    }
    if (owner.controller !== true) continue;
    const mine = `${kind}/${name}`;
    if (controller === undefined) controller = mine;
    else {
      const why = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${mine}`;
      errors.push(fieldError.invalid(at, new Verbatim(`[${owners.map((each) => ownerText(each).text).join(",")}]`), why));
    }
  }
  return errors;
}

/** With the fields in the order Go declares them in. */
function ownerText({ apiVersion = "", kind = "", name = "", uid = "", controller, blockOwnerDeletion }: OwnerReference): Verbatim {
  return new Verbatim(JSON.stringify({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }));
}

const REPEATED = /^metadata\.(labels|annotations|ownerReferences)\b/;

/** Upstream looks at some metadata of an update in several places, of built-in kinds in one more, and tells every time. */
export function toldAgain(errors: readonly FieldError[], typed: boolean): readonly FieldError[] {
  const again = errors.filter(({ field }) => REPEATED.test(field));
  return [...again, ...again, ...(typed ? again : [])];
}

const IMMUTABLE = "field is immutable";

/** What an update may not do to metadata. */
export function validateMetadataUpdate(next: JsonObject, live: JsonObject): FieldError[] {
  const now = metadataOf(next);
  const was = metadataOf(live);
  const errors: FieldError[] = [];
  if (was.deletionTimestamp !== undefined) {
    const extra = (now.finalizers ?? []).filter((finalizer) => !was.finalizers?.includes(finalizer)).sort();
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
