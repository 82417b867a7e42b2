import type { WallClock } from "../../clock/index.ts";
import type { KindInfo } from "../../kinds/index.ts";
import type { QueryParameters, TransportRequest, TransportResponse } from "../transport.ts";
import type { RequestOptions } from "./options.ts";
import { formatPath, formatSubject, type ResourcePath } from "./path.ts";
import type { RequestSender } from "./request-sender.ts";

/** What every verb needs. */
export interface VerbContext {
  readonly send: RequestSender;
  readonly fieldManager: string;
  readonly clock: WallClock;
  readonly random: () => number;
}

/** The name of an object, and its namespace if the kind has one. */
export interface NamespacedName {
  readonly name: string;
  readonly namespace?: string | undefined;
}

/** Query, body and kind of response of a request. */
export interface RequestContent {
  readonly query?: QueryParameters | undefined;
  readonly body?: unknown;
  readonly contentType?: string | undefined;
  readonly stream?: TransportRequest["stream"];
  /** The response is a list; metadata-only lists have a media type of their own. Default: a single object. */
  readonly isList?: true | undefined;
  /** What error messages name. Default: the target. */
  readonly subject?: string | undefined;
}

/** Sends a request for objects of a kind. */
export function sendVerb(
  context: VerbContext,
  method: TransportRequest["method"],
  kind: KindInfo,
  target: ResourcePath,
  content: RequestContent,
  options: RequestOptions,
): Promise<TransportResponse> {
  const headers: Record<string, string> = { accept: acceptHeader(kind, content.isList === true) };
  if (content.body !== undefined) headers["content-type"] = content.contentType ?? "application/json";
  if (options.auditId !== undefined) headers["audit-id"] = options.auditId;
  return context.send(
    {
      method,
      path: formatPath(kind, target),
      query: content.query,
      headers,
      body: content.body,
      signal: options.signal,
      permit: options.permit,
      stream: content.stream,
    },
    content.subject ?? formatSubject(kind, target),
  );
}

const JSON_TYPE = "application/json";
const METADATA_OBJECT = `${JSON_TYPE};as=PartialObjectMetadata;g=meta.k8s.io;v=v1,${JSON_TYPE}`;
const METADATA_LIST = `${JSON_TYPE};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,${JSON_TYPE}`;

/** Plain JSON comes last: servers without PartialObjectMetadata respond with whole objects. */
function acceptHeader(kind: KindInfo, list: boolean): string {
  if (!kind.metadataOnly) return JSON_TYPE;
  return list ? METADATA_LIST : METADATA_OBJECT;
}
