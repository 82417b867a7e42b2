import {
  builtInSensitiveFields,
  findSensitiveFields,
  type Redactor,
  type SensitiveFields,
  visitSensitiveDefaults,
} from "pintle/internal/recorder";
import type { JsonObject } from "pintle/kinds";
import type { ObjectStore, StoreEvent } from "../store/index.ts";

const SECRETS = "/registry/secrets/";
const CRDS = "/registry/apiextensions.k8s.io/customresourcedefinitions/";

/** The secrets of the objects in a store. */
export interface StoredSecrets {
  /** Returns the secret fields of the objects under a key; undefined if they have none. */
  fieldsOf(key: string): SensitiveFields | undefined;
}

/**
 * Remembers the values of all Secrets, and of the fields that a CustomResourceDefinition declares with the format "password", now and as they
 * are written, so that the redactor finds them in texts.
 */
export async function learnSecrets(store: ObjectStore, redactor: Redactor): Promise<StoredSecrets> {
  /** By resource: "example.com/notes". */
  const byResource = new Map<string, SensitiveFields>();
  const fieldsOf = (key: string) => {
    if (key.startsWith(SECRETS)) return builtInSensitiveFields("Secret");
    if (byResource.size === 0) return undefined;
    const [, , group, plural] = key.split("/");
    return byResource.get(`${group}/${plural}`);
  };
  const learnDefinition = ({ spec }: JsonObject) => {
    const { group, names, versions } = spec as unknown as {
      readonly group: string;
      readonly names: { readonly plural: string };
      readonly versions: readonly { readonly schema?: { readonly openAPIV3Schema?: JsonObject } }[];
    };
    for (const { schema } of versions)
      visitSensitiveDefaults(schema?.openAPIV3Schema, (value) => (typeof value === "string" ? redactor.learn(value) : undefined));
    const found = versions.flatMap(({ schema }) => findSensitiveFields(schema?.openAPIV3Schema) ?? []);
    if (found.length > 0) byResource.set(`${group}/${names.plural}`, found.reduce(mergeFields));
  };
  const learn = (key: string, value: () => JsonObject) => {
    if (key.startsWith(CRDS)) return learnDefinition(value());
    const fields = fieldsOf(key);
    if (fields !== undefined) redactor.learnObject(value(), fields);
  };
  const onEvent = (event: StoreEvent) => learn(event.key, () => event.value);
  const from = store.currentRevision();
  const { entries } = store.snapshot();
  // Definitions first: they say which fields of the others are secret.
  for (const [key, entry] of entries) if (key.startsWith(CRDS)) learn(key, () => entry.value);
  for (const [key, entry] of entries) if (!key.startsWith(CRDS)) learn(key, () => entry.value);
  await store.watch("/", from, onEvent);
  return { fieldsOf };
}

/** The fields of several versions together. */
function mergeFields(one: SensitiveFields, other: SensitiveFields): SensitiveFields {
  if (one.all === true || other.all === true) return { all: true };
  const names = new Set([...Object.keys(one.fields ?? {}), ...Object.keys(other.fields ?? {})]);
  const merge = (a: SensitiveFields | undefined, b: SensitiveFields | undefined) =>
    a === undefined || b === undefined ? (a ?? b) : mergeFields(a, b);
  const fields = Object.fromEntries([...names].map((name) => [name, merge(one.fields?.[name], other.fields?.[name]) as SensitiveFields]));
  return { fields, items: merge(one.items, other.items) };
}
