import type { JsonObject } from "pintle/kinds";
import { ApiError, badRequest, notFound } from "../../status/index.ts";
import { type Call, resourceName } from "../call.ts";
import { metadataOf, type ObjectMeta } from "../metadata/metadata.ts";
import { unreadable } from "../options/list-options.ts";
import { param } from "../request.ts";
import { isTrue } from "../request-info.ts";
import { keyOf, type Viewed } from "../stored.ts";
import { type Answered, answered } from "./answered.ts";
import { notOlderThan } from "./revision.ts";

export async function get(call: Call): Promise<Answered> {
  if (isTrue(call.request.query.get("export"))) {
    throw badRequest("the export parameter, deprecated since v1.14, is no longer supported");
  }
  return answered(200, call.view, await live(call));
}

type Named = Pick<Call, "kernel" | "resource" | "info" | "request">;

/** The object the request names, not older than it asks for; throws 404. */
export async function liveObject(call: Named): Promise<JsonObject> {
  return (await live(call)).object;
}

async function live(call: Named): Promise<Viewed> {
  const { kernel, resource, info, request } = call;
  if (resource.look !== undefined) {
    const isMeant = ({ name, namespace = "" }: ObjectMeta) => name === info.name && namespace === info.namespace;
    const found = (await resource.look()).find((object) => isMeant(metadataOf(object)));
    if (found !== undefined) return { object: found };
    // Upstream names what it never stored by its singular; metrics are another server's, which has a way of its own.
    if (resource.singular !== "") throw notFound({ group: resource.group, resource: resource.singular }, info.name);
    const place = info.namespace === "" ? info.name : `${info.namespace}/${info.name}`;
    throw notFound({ group: resource.group, resource: resource.kind.toLowerCase() }, place);
  }
  const revision = param(request.query, "resourceVersion");
  if (!/^\d*$/.test(revision)) throw new ApiError(500, "", unreadable(revision));
  await notOlderThan(kernel, Number(revision), request);
  const entry = await kernel.store.get(keyOf(resource, info.namespace, info.name));
  if (entry === undefined) throw notFound(resourceName(resource), info.name);
  return kernel.views.viewed(resource, entry);
}
