import type { JsonObject } from "pintle/kinds";
import { builtinResources } from "../../packages/cluster/src/builtin/index.ts";
import { ApiError } from "../../packages/cluster/src/status/index.ts";
import type { Random } from "./random.ts";
import type { Subject } from "./step.ts";

/** What differs from one built-in kind to the next. */
export interface BuiltIn {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly statusResets: readonly (readonly string[])[];
  readonly late: readonly (readonly string[])[];
  config(random: Random, name: string, subresource: string): JsonObject;
  object(random: Random, name: string): JsonObject;
}

const resources = builtinResources();

export function builtIn(of: BuiltIn): Subject {
  const { group, version, kind, statusResets, late, config, object } = of;
  const resource = resources.find((each) => each.group === group && each.version === version && each.kind === kind)!;
  const collection = `/${group === "" ? "api" : `apis/${group}`}/${version}/namespaces/default/${resource.plural}`;
  return {
    name: resource.plural,
    kind,
    config,
    object,
    late,
    apiVersions: [group === "" ? version : `${group}/${version}`],
    collection: () => collection,
    path: (_, name, subresource) => `${collection}/${name}${subresource && `/${subresource}`}`,
    shape: () => resource.schema.shape,
    blank: resource.schema.blank ?? {},
    resets: (subresource) => (subresource === "status" ? statusResets : [["status"]]),
    defaults: (object) => object,
    stored: (object) => decoded(() => resource.schema.prune(object).object),
    exact: false,
    verbs: ["update", "apply", "apply", "apply", "json", "merge", "strategic", "strategic", "strategic"],
  };
}

/** What cannot be read is not compared: it is refused with 422 on both sides. */
function decoded(read: () => JsonObject): JsonObject {
  try {
    return read();
  } catch (error) {
    throw new ApiError(422, "Invalid", error instanceof Error ? error.message : String(error));
  }
}
