import type { JsonObject } from "pintle/kinds";
import { applyConfig, trackUpdate } from "../apply/index.ts";
import type { Call } from "./call.ts";
import { timestamp } from "./clock.ts";
import { apiVersionOf } from "./resource.ts";
import { updateStrategy } from "./strategy.ts";

/** The object with its managedFields brought up to date for a write that is not an apply. */
export function tracked(call: Call, next: JsonObject, live: JsonObject | undefined, manager: string): JsonObject {
  return trackUpdate({ ...facts(call), live, next, manager, operation: "Update" });
}

/** Live state and the client's configuration merged, or 409 where somebody else owns what would change. */
export function applied(call: Call, config: JsonObject, live: JsonObject | undefined, manager: string, force: boolean): JsonObject {
  return applyConfig({ ...facts(call), live, config, manager, force, defaults: call.resource.schema.default });
}

function facts({ kernel, resource, info }: Call) {
  return {
    apiVersion: apiVersionOf(resource),
    subresource: info.subresource,
    now: timestamp(kernel.clock.now()),
    shape: resource.schema.shape,
    resetFields: updateStrategy(resource, info.subresource).resetFields,
  };
}
