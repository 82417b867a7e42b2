import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { encodeGoJson, quoteGoString } from "pintle/internal/go-format";
import { isJsonObject, type JsonObject, parseJson } from "pintle/internal/json";
import type { Secret } from "pintle/kinds/core/v1";
import { describeError, failure, TerminalFailure } from "../api/failures.ts";
import { MANAGED_BY_LABEL, OBJECT_FIELD_MANAGER, OWNER_NAME_LABEL, REVISION_ANNOTATION } from "../api/names.ts";
import type { ClusterObjectSet, CollisionProtection, ObservedPhase, PhaseObject } from "../api/types.ts";
import type { DesiredObject } from "./objects.ts";

/** A phase with its objects as they are applied, but for the owner. */
export interface ResolvedPhase {
  readonly name: string;
  readonly objects: readonly ResolvedObject[];
}

/** An object of a phase, and which existing objects it may take over. */
export interface ResolvedObject {
  readonly desired: DesiredObject;
  readonly collisionProtection: CollisionProtection;
}

/** Reads a Secret; undefined if it does not exist. */
export type ReadSecret = (ref: { readonly name: string; readonly namespace: string }) => Promise<Secret | undefined>;

const MAX_OBJECT_SIZE = 10 * 1024 * 1024;

/** Throws `TerminalFailure` if a Secret with objects can be changed. Secrets that do not exist are not reported here. */
export async function refuseMutableSecrets({ spec }: ClusterObjectSet, readSecret: ReadSecret): Promise<void> {
  const refs = (spec.phases ?? []).flatMap(({ objects }) => objects.flatMap(({ ref }) => (ref === undefined ? [] : [ref])));
  const byKey = new Map(refs.map(({ name, namespace = "" }) => [`${namespace}/${name}`, { name, namespace }]));
  const mutable: string[] = [];
  for (const [key, ref] of byKey) {
    const secret = await readSecret(ref);
    if (secret !== undefined && secret.immutable !== true) mutable.push(key);
  }
  if (mutable.length === 0) return;
  throw new TerminalFailure(
    `the following secrets are not immutable (referenced secrets must have immutable set to true): ${mutable.join(", ")}`,
  );
}

/** Reads the objects of all phases, and computes the digest of each phase for the status. */
export async function resolvePhases(
  objectSet: ClusterObjectSet,
  readSecret: ReadSecret,
): Promise<{ readonly phases: readonly ResolvedPhase[]; readonly observed: readonly ObservedPhase[] }> {
  const phases: ResolvedPhase[] = [];
  const observed: ObservedPhase[] = [];
  for (const phase of objectSet.spec.phases ?? []) {
    const objects: JsonObject[] = [];
    for (const each of phase.objects) objects.push(await resolveObject(phase.name, each, readSecret));
    observed.push({ name: phase.name, digest: digestPhase(phase.name, objects) });
    phases.push({
      name: phase.name,
      objects: objects.map((object, i) => ({
        desired: addMarks(objectSet, object as DesiredObject),
        collisionProtection: phase.objects[i]!.collisionProtection ?? phase.collisionProtection ?? objectSet.spec.collisionProtection,
      })),
    });
  }
  return { phases, observed };
}

/** Reads the objects of all phases as the user wrote them, without ownership labels. */
export async function readObjects({ spec }: ClusterObjectSet, readSecret: ReadSecret): Promise<JsonObject[]> {
  const objects: JsonObject[] = [];
  for (const phase of spec.phases ?? []) for (const each of phase.objects) objects.push(await resolveObject(phase.name, each, readSecret));
  return objects;
}

async function resolveObject(phase: string, { object, ref }: PhaseObject, readSecret: ReadSecret): Promise<JsonObject> {
  if (object !== undefined) return object;
  if (ref === undefined) throw failure(`object in phase ${quoteGoString(phase)} has neither object nor ref`);
  try {
    return await readObject(ref, readSecret);
  } catch (error) {
    throw failure(`resolving ref in phase ${quoteGoString(phase)}: ${describeError(error)}`, error);
  }
}

async function readObject(ref: NonNullable<PhaseObject["ref"]>, readSecret: ReadSecret): Promise<JsonObject> {
  const { name, namespace = "", key } = ref;
  const where = `Secret ${namespace}/${name}`;
  const secret = await readSecret({ name, namespace });
  if (secret === undefined) throw failure(`getting ${where}: secrets ${quoteGoString(name)} not found`);
  const data = secret.data?.[key];
  if (data === undefined) throw failure(`key ${quoteGoString(key)} not found in ${where}`);
  const bytes = decompress(Buffer.from(data, "base64"), `key ${quoteGoString(key)} in ${where}`);
  let value: unknown;
  try {
    value = parseJson(bytes);
  } catch (error) {
    throw failure(`unmarshaling object from key ${quoteGoString(key)} in ${where}: ${describeError(error)}`, error);
  }
  if (!isJsonObject(value as never)) throw failure(`unmarshaling object from key ${quoteGoString(key)} in ${where}: not an object`);
  return value as JsonObject;
}

function decompress(data: Buffer, what: string): Buffer {
  if (data[0] !== 0x1f || data[1] !== 0x8b) return data;
  try {
    return gunzipSync(data, { maxOutputLength: MAX_OBJECT_SIZE });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") {
      throw failure(`decompressed data for ${what} exceeds maximum size (${MAX_OBJECT_SIZE} bytes)`);
    }
    throw failure(`decompressing ${what}: ${describeError(error)}`, error);
  }
}

/** Returns the digest of a phase as the user wrote it, before labels are added. */
export function digestPhase(name: string, objects: readonly JsonObject[]): string {
  return `sha256:${createHash("sha256").update(encodeGoJson({ name, objects })).digest("hex")}`;
}

function addMarks({ metadata, spec }: ClusterObjectSet, object: DesiredObject): DesiredObject {
  const { labels = {}, annotations = {} } = object.metadata ?? {};
  return {
    ...object,
    metadata: {
      ...object.metadata,
      labels: {
        ...labels,
        [OWNER_NAME_LABEL]: metadata.labels?.[OWNER_NAME_LABEL] ?? "",
        [MANAGED_BY_LABEL]: OBJECT_FIELD_MANAGER,
      },
      annotations: { ...annotations, [REVISION_ANNOTATION]: String(spec.revision) },
    },
  } as unknown as DesiredObject;
}

/** Throws `TerminalFailure` if the content of a phase changed since it was first reconciled. */
export function verifyObservedPhases(stored: readonly ObservedPhase[], current: readonly ObservedPhase[]): void {
  if (stored.length !== current.length) {
    throw new TerminalFailure(`number of phases has changed (expected ${stored.length} phases, got ${current.length})`);
  }
  const before = new Map(stored.map(({ name, digest }) => [name, digest]));
  const changed = current.flatMap(({ name, digest }) => {
    const expected = before.get(name);
    if (expected === undefined || expected === digest) return [];
    return [`phase ${quoteGoString(name)} (expected digest ${expected}, got ${digest})`];
  });
  if (changed.length === 0) return;
  throw new TerminalFailure(
    `resolved content of ${changed.length} phase(s) has changed: ${changed.join("; ")}; a referenced object source may have been deleted and recreated with different content`,
  );
}
