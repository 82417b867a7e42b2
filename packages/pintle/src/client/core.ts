import type { KindFacts } from "../kinds/index.ts";
import type { Exchange } from "./exchange.ts";
import type { CallOptions } from "./options.ts";
import { type Place, pathOf, subjectOf } from "./path.ts";
import type { Timing } from "./timing.ts";
import type { Query, TransportRequest, TransportResponse } from "./transport.ts";

/** What every verb stands on. */
export interface Core {
  readonly exchange: Exchange;
  readonly fieldManager: string;
  readonly timing: Timing;
  readonly random: () => number;
}

/** How verbs point at an object once types are out of the way. */
export interface PlainRef {
  readonly name: string;
  readonly namespace?: string | undefined;
}

export interface Sent {
  readonly query?: Query | undefined;
  readonly body?: unknown;
  readonly contentType?: string | undefined;
  readonly stream?: TransportRequest["stream"];
  /** The answer is a list, which has a name of its own where only metadata is asked for. */
  readonly list?: true | undefined;
  /** Default: the place. */
  readonly subject?: string | undefined;
}

/** A request about a kind, at a place; its answer is about objects of that kind. */
export function send(
  core: Core,
  method: TransportRequest["method"],
  kind: KindFacts,
  place: Place,
  sent: Sent,
  options: CallOptions,
): Promise<TransportResponse> {
  const headers: Record<string, string> = { accept: accepted(kind, sent.list === true) };
  if (sent.body !== undefined) headers["content-type"] = sent.contentType ?? "application/json";
  return core.exchange(
    {
      method,
      path: pathOf(kind, place),
      query: sent.query,
      headers,
      body: sent.body,
      signal: options.signal,
      permit: options.permit,
      stream: sent.stream,
    },
    sent.subject ?? subjectOf(kind, place),
  );
}

const JSON_TYPE = "application/json";
const ONE = `${JSON_TYPE};as=PartialObjectMetadata;g=meta.k8s.io;v=v1,${JSON_TYPE}`;
const MANY = `${JSON_TYPE};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,${JSON_TYPE}`;

/** Plain JSON comes last: servers that cannot cut objects down send them whole. */
function accepted(kind: KindFacts, list: boolean): string {
  if (!kind.metadataOnly) return JSON_TYPE;
  return list ? MANY : ONE;
}
