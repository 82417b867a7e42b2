import type { JsonObject } from "pintle/kinds";
import { ApiError, badRequest, notFound } from "../../status/index.ts";
import type { StoreEntry } from "../../store/index.ts";
import { PROTOBUF_TYPE } from "../encoding/negotiate.ts";
import { OutgoingObject } from "../encoding/outgoing-object.ts";
import { getMetadata } from "../metadata/object-meta.ts";
import { formatInvalidResourceVersion, parseListOptions } from "../options/list-options.ts";
import type { ServedResource } from "../registry/served-resource.ts";
import { type ApiRequest, type ApiResponse, getQueryParameter } from "../request/api-request.ts";
import { isTrueParameter } from "../request/request-info.ts";
import { getGroupResource, type RequestContext, type ServerDependencies } from "../request-context.ts";
import { readPage } from "../storage/read-page.ts";
import { buildObjectKey } from "../storage/storage-codec.ts";
import { waitForRevision } from "../storage/wait-for-revision.ts";
import { openWatch } from "../watch/open-watch.ts";

/**
 * Reads what get and list ask for, and opens a watch. Throws 404, 410 or 504. Reads `info`, `resource`, `format`, `request`;
 * writes `entry` (get) or `page` (list), or returns the response (watch).
 */
export function read(context: RequestContext): Promise<RequestContext | ApiResponse> {
  if (context.operation === "get") return readObject(context);
  return context.operation === "list" ? readList(context) : readWatch(context);
}

async function readObject(context: RequestContext): Promise<RequestContext> {
  const { server, resource, info, request } = context;
  if (isTrueParameter(request.query.get("export"))) {
    throw badRequest("the export parameter, deprecated since v1.14, is no longer supported");
  }
  if (resource.computeObjects !== undefined) context.outgoing = await readComputedObject(resource, info.namespace, info.name);
  else {
    const resourceVersion = getQueryParameter(request.query, "resourceVersion");
    context.entry = await readEntry(server, resource, info.namespace, info.name, resourceVersion, request);
  }
  return context;
}

async function readList(context: RequestContext): Promise<RequestContext> {
  const options = parseListOptions(context.request.query, false, context.server);
  const page = await readPage(context, options);
  const { shards } = options;
  context.page = shards === undefined ? page : { ...page, metadata: { ...page.metadata, shardInfo: { selector: shards.text } } };
  return context;
}

async function readWatch(context: RequestContext): Promise<ApiResponse> {
  const { mediaType } = context.format.mediaTypeOptions;
  const type = mediaType === PROTOBUF_TYPE ? `${mediaType};stream=watch` : mediaType;
  return { status: 200, headers: { "content-type": type }, body: { type: "watch", stream: await openWatch(context) } };
}

/** Reads the current object for a stage that needs its value. Throws 404. */
export async function readCurrentObject(
  { server, resource, request }: RequestContext,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<JsonObject> {
  if (resource.computeObjects !== undefined) return (await readComputedObject(resource, namespace, name)).object;
  return server.storageCodec.decode(resource, await readEntry(server, resource, namespace, name, "", request));
}

/** Reads one entry, at least as new as `resourceVersion`. Throws 404. */
async function readEntry(
  server: ServerDependencies,
  resource: ServedResource,
  namespace: string,
  name: string,
  resourceVersion: string,
  request: Pick<ApiRequest, "signal">,
): Promise<StoreEntry> {
  if (!/^\d*$/.test(resourceVersion)) throw new ApiError(500, "", formatInvalidResourceVersion(resourceVersion));
  await waitForRevision(server, Number(resourceVersion), request);
  const entry = await server.store.get(buildObjectKey(resource, namespace, name));
  if (entry === undefined) throw notFound(getGroupResource(resource), name);
  return entry;
}

async function readComputedObject(resource: ServedResource, namespace: string, name: string): Promise<OutgoingObject> {
  for (const object of (await resource.computeObjects?.()) ?? []) {
    const metadata = getMetadata(object);
    if (metadata.name === name && (metadata.namespace ?? "") === namespace) return new OutgoingObject(undefined, object);
  }
  // kube-apiserver names kinds that it never stores by their singular; the metrics server names them by kind and namespace.
  if (resource.singular !== "") throw notFound({ group: resource.group, resource: resource.singular }, name);
  throw notFound({ group: resource.group, resource: resource.kind.toLowerCase() }, namespace === "" ? name : `${namespace}/${name}`);
}
