import { createOutgoingList, type ListPage } from "../encoding/outgoing-list.ts";
import { OutgoingObject } from "../encoding/outgoing-object.ts";
import { transformObject } from "../encoding/transform.ts";
import { type ApiResponse, BODY_CHUNK_BYTES, type ObjectBody } from "../request/api-request.ts";
import type { RequestContext } from "../request-context.ts";

/**
 * Builds the response in the negotiated form: the object, a Table, or its metadata. Bytes are made by the transport
 * (`encoding/encode-body.ts`), which copies those of the store where it can. Reads `outgoing` or `page`, `format`, `status`; returns the response.
 */
export function encode(context: RequestContext): ApiResponse {
  const { status, format } = context;
  return { status, headers: { "content-type": format.mediaTypeOptions.mediaType }, body: buildBody(context) };
}

/** Whether the response is sent in chunks: as slowly as the client reads. */
function isLong({ items }: ListPage): boolean {
  let bytes = 0;
  for (const { entry } of items) bytes += entry?.byteLength ?? 0;
  return bytes > BODY_CHUNK_BYTES;
}

function buildBody({ format, page, outgoing, flowTicket }: RequestContext): ObjectBody {
  if (page !== undefined) {
    if (isLong(page)) flowTicket?.becomeLong();
    return createOutgoingList(format, page);
  }
  const { mediaType, convertTo } = format.mediaTypeOptions;
  const body = convertTo === undefined ? outgoing : new OutgoingObject(undefined, transformObject(format, outgoing.object));
  body.mediaType = mediaType;
  return body;
}
