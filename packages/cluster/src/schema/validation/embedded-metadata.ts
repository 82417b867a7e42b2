import { encodeGoJson } from "pintle/internal/go-format";
import type { JsonObject, ManagedFieldsEntry, OwnerReference } from "pintle/kinds";
import {
  type FieldError,
  fieldError,
  VerbatimValue,
  validateDnsLabel,
  validateLabelValue,
  validatePathSegment,
  validateQualifiedName,
} from "../../status/index.ts";

interface EmbeddedMetadata {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly generation?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
  readonly managedFields?: readonly ManagedFieldsEntry[];
}

const annotationLimit = 256 * 1024;

/** Validates the metadata of an embedded resource, which needs no name and is namespaced if it has a namespace. */
export function validateEmbeddedMetadata(stored: JsonObject, path: string): FieldError[] {
  const metadata = stored as unknown as EmbeddedMetadata;
  const { name = "", generateName = "", namespace = "", labels = {}, annotations = {} } = metadata;
  const errors: FieldError[] = [];
  const invalid = (field: string, value: unknown, problems: readonly string[]) => {
    for (const problem of problems) errors.push(fieldError.invalid(`${path}.${field}`, value, problem));
  };
  if (generateName !== "") invalid("generateName", generateName, validatePathSegment(generateName, true));
  if (name !== "") invalid("name", name, validatePathSegment(name));
  if (namespace !== "") invalid("namespace", namespace, validateDnsLabel(namespace));
  if ((metadata.generation ?? 0) < 0) invalid("generation", metadata.generation, ["must be greater than or equal to 0"]);
  for (const [key, value] of Object.entries(labels)) {
    invalid("labels", key, validateQualifiedName(key));
    invalid("labels", value, validateLabelValue(value));
  }
  let size = 0;
  for (const [key, value] of Object.entries(annotations)) {
    invalid("annotations", key, validateQualifiedName(key.toLowerCase()));
    size += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (size > annotationLimit) errors.push(fieldError.tooLong(`${path}.annotations`, annotationLimit));
  errors.push(...validateOwnerReferences(metadata.ownerReferences ?? [], `${path}.ownerReferences`));
  errors.push(...validateFinalizers(metadata.finalizers ?? [], `${path}.finalizers`));
  for (const [i, entry] of (metadata.managedFields ?? []).entries()) {
    if (entry.operation !== "Apply" && entry.operation !== "Update") {
      invalid(`managedFields[${i}].operation`, entry.operation ?? "", ["must be `Apply` or `Update`"]);
    }
  }
  return errors;
}

function validateOwnerReferences(owners: readonly OwnerReference[], path: string): FieldError[] {
  const errors: FieldError[] = [];
  let controller = "";
  for (const owner of owners) {
    const version = owner.apiVersion.split("/").at(-1)!;
    if (version === "") errors.push(fieldError.invalid(`${path}.apiVersion`, owner.apiVersion, "version must not be empty"));
    for (const field of ["kind", "name", "uid"] as const) {
      if (owner[field] === "") errors.push(fieldError.invalid(`${path}.${field}`, "", "must not be empty"));
    }
    if (owner.apiVersion === "v1" && owner.kind === "Event") {
      errors.push(
        fieldError.invalid(path, new VerbatimValue(formatOwnerReference(owner)), "/v1, Kind=Event is disallowed from being an owner"),
      );
    }
    if (owner.controller !== true) continue;
    const name = `${owner.kind}/${owner.name}`;
    if (controller !== "") {
      const twice = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`;
      errors.push(fieldError.invalid(path, new VerbatimValue(`[${owners.map(formatOwnerReference).join(",")}]`), twice));
    } else {
      controller = name;
    }
  }
  return errors;
}

const ownerFields = ["apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"] as const;

function formatOwnerReference(owner: OwnerReference): string {
  const fields = ownerFields.filter((field) => owner[field] !== undefined);
  return `{${fields.map((field) => `"${field}":${encodeGoJson(owner[field])}`).join(",")}}`;
}

function validateFinalizers(finalizers: readonly string[], path: string): FieldError[] {
  const errors = finalizers.flatMap((finalizer) =>
    validateQualifiedName(finalizer).map((problem) => fieldError.invalid(path, finalizer, problem)),
  );
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion")) {
    errors.push(fieldError.invalid(path, finalizers, "finalizer orphan and foregroundDeletion cannot be both set"));
  }
  return errors;
}
