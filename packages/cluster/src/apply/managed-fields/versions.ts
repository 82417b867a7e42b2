import { memoize } from "pintle/internal/memoize";
import { type Comparison, compareObjects, type FieldSet, recursiveDifference, union } from "pintle/internal/merge";
import type { JsonObject, Shape } from "pintle/kinds";

/** An object in one version and the shape of that version. */
export interface ObjectInVersion {
  readonly object: JsonObject;
  readonly shape: Shape;
}
/** Converts an object to another version; undefined when that version does not exist (any more). */
export type VersionConverter = (object: JsonObject, apiVersion: string) => ObjectInVersion | undefined;
/** The same where a conversion webhook is called. */
export type AsyncVersionConverter = (object: JsonObject, apiVersion: string) => Promise<ObjectInVersion | undefined>;

/** An object that a computation needs in another version. */
export interface ConversionRequest {
  readonly object: JsonObject;
  readonly apiVersion: string;
}
/** Where a computation may be interrupted, so that other requests run. */
export const PAUSE = "pause";

/**
 * A computation that yields the conversions it needs and is resumed with their results: the caller decides whether to wait for them. Between
 * its steps it yields pauses.
 */
export type WithConversions<T> = Generator<ConversionRequest | typeof PAUSE, T, ObjectInVersion | undefined>;

/** Runs a computation whose conversions need no waiting, without pauses. */
export function runWithConversions<T>(computation: WithConversions<T>, convert: VersionConverter | undefined): T {
  let step = computation.next();
  while (!step.done) step = computation.next(step.value === PAUSE ? undefined : convert?.(step.value.object, step.value.apiVersion));
  return step.value;
}

/** Runs a computation and awaits each of its conversions and pauses. */
export async function runWithAsyncConversions<T>(
  computation: WithConversions<T>,
  convert: AsyncVersionConverter | VersionConverter | undefined,
  pause: () => Promise<void> | undefined = () => undefined,
): Promise<T> {
  let step = computation.next();
  while (!step.done) {
    if (step.value !== PAUSE) step = computation.next(await convert?.(step.value.object, step.value.apiVersion));
    else {
      await pause();
      step = computation.next();
    }
  }
  return step.value;
}

/** Version and schema of a request, as far as managed fields depend on them. */
export interface ManagedFieldsSchema {
  readonly apiVersion: string;
  readonly shape: Shape;
  /** An object without any field set by a client, for example structs that are always present. Default: none, as for custom resources. */
  readonly blank?: JsonObject | undefined;
  /** Fields that the endpoint takes from the stored object, like status; requests never own them. */
  readonly resetFields?: FieldSet | undefined;
  /** Required for kinds with several versions that differ. */
  readonly convert?: VersionConverter | AsyncVersionConverter | undefined;
}

/** Whether a manager owns fields in another version than that of the request. Few objects have such managers. */
export function needsConversion(managers: readonly { readonly apiVersion: string }[], schema: ManagedFieldsSchema): boolean {
  return schema.convert !== undefined && managers.some(({ apiVersion }) => apiVersion !== schema.apiVersion);
}

/** An object in other versions than that of the request; undefined within the map for a version that no longer exists. */
export type ObjectVersions = ReadonlyMap<string, ObjectInVersion | undefined>;

/** Converts an object to the versions of the managers. */
export function* convertToVersions(
  object: JsonObject,
  managers: readonly { readonly apiVersion: string }[],
  schema: ManagedFieldsSchema,
): WithConversions<ObjectVersions> {
  const versions = new Map<string, ObjectInVersion | undefined>();
  for (const { apiVersion } of managers) {
    if (apiVersion !== schema.apiVersion && !versions.has(apiVersion)) versions.set(apiVersion, yield { object, apiVersion });
  }
  return versions;
}

export function* convertToVersion(
  object: JsonObject,
  apiVersion: string,
  schema: ManagedFieldsSchema,
): WithConversions<ObjectInVersion | undefined> {
  if (schema.convert === undefined || apiVersion === schema.apiVersion) return { object, shape: schema.shape };
  return yield { object, apiVersion };
}

/** Changed and removed fields. */
export interface FieldChanges {
  readonly changed: FieldSet;
  readonly removed: FieldSet;
}

/** Returns a comparer of two states of an object in any version, memoized per version; undefined for a version that no longer exists. */
export function createVersionComparer(
  before: JsonObject,
  after: JsonObject,
  schema: ManagedFieldsSchema,
  beforeVersions?: ObjectVersions,
  afterVersions?: ObjectVersions,
): (apiVersion: string) => FieldChanges | undefined {
  const seen = new Map<string, FieldChanges | undefined>();
  return (apiVersion) => {
    const isSameVersion = afterVersions === undefined || apiVersion === schema.apiVersion;
    const version = isSameVersion ? schema.apiVersion : apiVersion;
    if (!seen.has(version)) {
      const left = isSameVersion ? { object: before, shape: schema.shape } : beforeVersions?.get(version);
      const right = isSameVersion ? { object: after, shape: schema.shape } : afterVersions.get(version);
      seen.set(version, left && right && compareVersion(left, right, schema));
    }
    return seen.get(version);
  };
}

function compareVersion(before: ObjectInVersion, after: ObjectInVersion, schema: ManagedFieldsSchema): FieldChanges {
  const { added, modified, removed }: Comparison = compareObjects(before.object, after.object, after.shape);
  return { changed: removeResetFields(unionMemoized(modified, added), schema), removed: removeResetFields(removed, schema) };
}

const unionMemoized = memoize(union);
const subtractMemoized = memoize(recursiveDifference);

/** Removes the fields that the endpoint resets. */
export function removeResetFields(set: FieldSet, { resetFields }: ManagedFieldsSchema): FieldSet {
  return resetFields === undefined ? set : subtractMemoized(set, resetFields);
}
