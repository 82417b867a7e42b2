import type { JsonObject } from "pintle/kinds";
import { conform, type FieldSet, faultsText, fieldElement, fieldSet } from "pintle/merge";
import { applyConfig, type Convert, trackUpdate } from "../apply/index.ts";
import { DecodeError } from "../schema/index.ts";
import { ApiError } from "../status/index.ts";
import type { Call } from "./call.ts";
import { timestamp } from "./clock.ts";
import { jsonText } from "./json-text.ts";
import { metadataOf, withMetadata } from "./metadata/metadata.ts";
import { apiVersionOf, type UpdateStrategy } from "./resource.ts";
import { updateStrategy } from "./strategy.ts";

/** The object with its managedFields brought up to date for a write that is not an apply. */
export function tracked(call: Call, next: JsonObject, live: JsonObject | undefined, manager: string): JsonObject {
  try {
    return trackUpdate({ live, next, manager, ...facts(call) });
  } catch (error) {
    if (!(error instanceof Unconvertible)) throw error;
    // A write must not fail over bookkeeping: nobody owns anything from here on.
    return withMetadata(next, { managedFields: undefined });
  }
}

/** Live state and the client's configuration merged, or 409 where somebody else owns what would change. */
export function applied(call: Call, config: JsonObject, live: JsonObject | undefined, manager: string, force: boolean): JsonObject {
  const { kind, typed } = call.resource;
  emptied.delete(call);
  const defaults = (object: JsonObject) => {
    if (!typed && Object.values(metadataOf(object)).some(isEmptied)) emptied.add(call);
    return decoded(call, object);
  };
  return applyConfig({ kind, live, config, manager, force, defaults, ...facts(call) });
}

/** Applies to custom resources whose metadata says, of something that is not there, that it is empty. */
const emptied = new WeakSet<Call>();
const isEmptied = (value: unknown) => typeof value === "object" && value !== null && Object.keys(value).length === 0;

/** Such an apply counts as a change, and moves its time, though nothing of it is kept: upstream looks before it tidies up. */
export function countsAsChange(call: Call): boolean {
  return emptied.has(call);
}

/** What was merged, in the form it would have had in a body. */
function decoded({ resource, info }: Call, object: JsonObject): JsonObject {
  try {
    return resource.schema.default(resource.schema.prune(object).object);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const kind = `${apiVersionOf(resource)}, Kind=${resource.kind}`;
    const what = `failed to convert new object (${info.namespace}/${info.name}; ${kind}) to proper version`;
    throw new ApiError(500, "", `${what}: unable to convert unstructured object to ${kind}: ${error.ofValue}`);
  }
}

function facts(call: Call) {
  const { kernel, resource, info } = call;
  return {
    apiVersion: apiVersionOf(resource),
    subresource: info.subresource,
    now: timestamp(kernel.clock.now()),
    shape: resource.schema.shape,
    blank: resource.schema.blank,
    resetFields: resetFields(updateStrategy(resource, info.subresource)),
    convert: convert(call),
  };
}

const sets = new WeakMap<UpdateStrategy, FieldSet>();

function resetFields(strategy: UpdateStrategy): FieldSet | undefined {
  if (strategy.resetFields === undefined) return undefined;
  let set = sets.get(strategy);
  if (set === undefined) {
    set = fieldSet(...strategy.resetFields.map((path) => path.map(fieldElement)));
    sets.set(strategy, set);
  }
  return set;
}

/** An object has a field that another version, in which somebody owns fields, does not know. */
class Unconvertible extends ApiError {}

/** An object that has to be converted by somebody else before it can be seen in another version. */
class Unconverted extends Error {
  readonly object: JsonObject;
  readonly apiVersion: string;
  constructor(object: JsonObject, apiVersion: string) {
    super(`not converted to ${apiVersion} yet`);
    this.object = object;
    this.apiVersion = apiVersion;
  }
}

/** By request, what has been converted for it: by version and content. */
const conversions = new WeakMap<Call, Map<string, JsonObject>>();
const conversionId = (object: JsonObject, apiVersion: string) => `${apiVersion} ${jsonText(object)}`;

/** Runs what tracks or applies; where that needs an object in another version, it is converted and the run begins anew. */
export async function withConversions<T>(call: Call, run: () => T): Promise<T> {
  const between = call.resource.storage.conversion?.between;
  if (between === undefined) return run();
  const made = new Map<string, JsonObject>();
  conversions.set(call, made);
  for (;;) {
    try {
      return run();
    } catch (error) {
      if (!(error instanceof Unconverted)) throw error;
      const { object, apiVersion } = error;
      made.set(conversionId(object, apiVersion), (await between([object], apiVersion))[0] as JsonObject);
    }
  }
}

function byWebhook(call: Call, object: JsonObject, apiVersion: string): JsonObject {
  const found = conversions.get(call)?.get(conversionId(object, apiVersion));
  if (found === undefined) throw new Unconverted(object, apiVersion);
  return found;
}

/** Managers of other versions own fields in those; without a conversion of its own, all versions look the same. */
function convert(call: Call): Convert | undefined {
  const { kernel, resource } = call;
  const { group, plural, storage } = resource;
  const versions = kernel.registry.versionsOf(group, plural);
  const asks = storage.conversion?.between !== undefined && conversions.has(call);
  if (versions.length > 1 && storage.conversion !== undefined && storage.inVersion === undefined && !asks) return undefined;
  return (object, apiVersion) => {
    const other = versions.find((each) => apiVersionOf(each) === apiVersion);
    if (other === undefined) {
      // Events belong to two groups, but who owns what in them is told in one only.
      if (groupOf(apiVersion) !== group) throw new Unconvertible(500, "", `${apiVersion} is not a version of ${group}`);
      return undefined;
    }
    const converted = asks
      ? byWebhook(call, object, apiVersion)
      : (storage.inVersion?.(object, other.version) ?? { ...object, apiVersion });
    const faults = conform(converted, other.schema.shape);
    if (faults.length > 0) throw new Unconvertible(500, "", faultsText(faults));
    return { object: converted, shape: other.schema.shape };
  };
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
}
