import { OutgoingObject } from "../encoding/outgoing-object.ts";
import type { RequestContext } from "../request-context.ts";
import { buildScale } from "../strategy/scale.ts";

/**
 * Converts the stored object to the version of the request. An object that is stored in that form stays bytes: it is decoded only for a
 * client that needs its value. Waits only where a webhook converts. Reads `committed` or `entry`; writes `outgoing`.
 */
export async function convert(context: RequestContext): Promise<RequestContext> {
  const { server, resource, committed, entry, subresource } = context;
  if (committed !== undefined) context.outgoing = await server.storageCodec.decodeCommitted(resource, committed);
  else if (context.outgoing === undefined && entry !== undefined) {
    context.outgoing = await server.storageCodec.decodeLazily(resource, entry);
  }
  if (subresource?.type === "scale") context.outgoing = new OutgoingObject(undefined, buildScale(context.outgoing.object, subresource));
  return context;
}
