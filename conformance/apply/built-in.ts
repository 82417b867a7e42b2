import type { JsonObject } from "pintle/kinds";
import { createBuiltinResources } from "../../packages/cluster/src/builtin/index.ts";
import { ApiError } from "../../packages/cluster/src/status/index.ts";
import type { Random } from "./random.ts";
import type { ComparedKind } from "./step.ts";

/** The kind-specific parts of a built-in kind. */
export interface BuiltInKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly statusResets: readonly (readonly string[])[];
  readonly setAfterOwnership: readonly (readonly string[])[];
  config(random: Random, name: string, subresource: string): JsonObject;
  object(random: Random, name: string): JsonObject;
}

const resources = createBuiltinResources();

export function toComparedKind(of: BuiltInKind): ComparedKind {
  const { group, version, kind, statusResets, setAfterOwnership, config, object } = of;
  const resource = resources.find((each) => each.group === group && each.version === version && each.kind === kind)!;
  const collection = `/${group === "" ? "api" : `apis/${group}`}/${version}/namespaces/default/${resource.plural}`;
  return {
    name: resource.plural,
    kind,
    config,
    object,
    setAfterOwnership,
    apiVersions: [group === "" ? version : `${group}/${version}`],
    collection: () => collection,
    path: (_, name, subresource) => `${collection}/${name}${subresource && `/${subresource}`}`,
    shape: () => resource.schema.shape,
    zeroValue: resource.schema.zeroValue ?? {},
    resetPaths: (subresource) => (subresource === "status" ? statusResets : [["status"]]),
    defaults: (object) => object,
    toStored: (object) => decodeOrInvalid(() => resource.schema.prune(object).object),
    knowsDefaults: false,
    verbs: ["update", "apply", "apply", "apply", "json", "merge", "strategic", "strategic", "strategic"],
  };
}

/** Turns a decoding error into a 422, which is not compared. */
function decodeOrInvalid(read: () => JsonObject): JsonObject {
  try {
    return read();
  } catch (error) {
    throw new ApiError(422, "Invalid", error instanceof Error ? error.message : String(error));
  }
}
