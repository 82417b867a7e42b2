import { createStringCache } from "pintle/internal/memoize";
import { ApiError } from "../../status/index.ts";
import type { MediaType } from "../request/api-request.ts";

/** The media type and transformation that the client asks for. */
export interface MediaTypeOptions {
  readonly mediaType: MediaType;
  readonly convertTo: ObjectTransform | undefined;
}
export interface ObjectTransform {
  readonly kind: "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList";
  readonly version: "v1" | "v1beta1";
}

interface AcceptClause {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

export const JSON_TYPE = "application/json";
const YAML_TYPE = "application/yaml";
export const PROTOBUF_TYPE = "application/vnd.kubernetes.protobuf";
const MEDIA_TYPES: readonly MediaType[] = [JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE];
const STREAM_MEDIA_TYPES = [JSON_TYPE, PROTOBUF_TYPE].map((type) => `${type};stream=watch`);
const TRANSFORMS = new Set(["Table", "PartialObjectMetadata", "PartialObjectMetadataList"]);

export const JSON_WITHOUT_TRANSFORM: MediaTypeOptions = { mediaType: JSON_TYPE, convertTo: undefined };

/** Results by Accept header: clients send few different ones. */
const negotiatedByAccept = {
  typed: createStringCache<MediaTypeOptions>(512 * 1024),
  custom: createStringCache<MediaTypeOptions>(512 * 1024),
};

/**
 * Negotiates the first acceptable clause of an Accept header. Throws 406. Only built-in kinds (`typed`) have a protobuf form; reviews and
 * most subresources have no table.
 */
export function negotiateMediaType(accept: string | undefined, typed: boolean, hasTable = true): MediaTypeOptions {
  if (accept === undefined || accept === "" || accept === JSON_TYPE) return JSON_WITHOUT_TRANSFORM;
  if (!hasTable) return negotiateClauses(accept, typed, hasTable);
  const seen = typed ? negotiatedByAccept.typed : negotiatedByAccept.custom;
  let presentation = seen.get(accept);
  if (presentation === undefined) {
    presentation = negotiateClauses(accept, typed, hasTable);
    seen.set(accept, presentation);
  }
  return presentation;
}

function negotiateClauses(accept: string, typed: boolean, hasTable: boolean): MediaTypeOptions {
  for (const clause of parseAccept(accept)) {
    for (const mediaType of MEDIA_TYPES) {
      if (!matchesMediaType(clause, mediaType)) continue;
      const as = clause.parameters.get("as");
      const group = clause.parameters.get("g");
      const version = clause.parameters.get("v");
      if (as === undefined && group === undefined && version === undefined) {
        if (typed || mediaType !== PROTOBUF_TYPE) return { mediaType, convertTo: undefined };
        continue;
      }
      const served = group === "meta.k8s.io" && (version === "v1" || version === "v1beta1") && as !== undefined && TRANSFORMS.has(as);
      if (served && (as !== "Table" || (hasTable && mediaType !== PROTOBUF_TYPE)))
        return { mediaType, convertTo: { kind: as as ObjectTransform["kind"], version } };
    }
  }
  throw notAcceptableError(`only the following media types are accepted: ${MEDIA_TYPES.join(", ")}`);
}

function matchesMediaType({ type }: AcceptClause, mediaType: string): boolean {
  return type === mediaType || type === "application/*" || type === "*/*";
}

/** Media types of objects, and of collections, which can be watched too. */
export const OBJECT_MEDIA_TYPES: readonly string[] = MEDIA_TYPES;
export const COLLECTION_MEDIA_TYPES: readonly string[] = [...MEDIA_TYPES, ...STREAM_MEDIA_TYPES];

/** Throws 406 if built-in kinds have none of the accepted media types. Their router checks this first. */
export function checkAcceptable(accept: string | undefined, types: readonly string[]): void {
  if (accept === undefined || accept === "" || accept === JSON_TYPE) return;
  // Negotiated before.
  if (types.length > 1 && negotiatedByAccept.typed.get(accept) !== undefined) return;
  const clauses = parseAccept(accept);
  if (types.some((type) => clauses.some((clause) => matchesMediaType(clause, type)))) return;
  throw new ApiError(406, "NotAcceptable", `406: Not Acceptable\n\nAvailable representations: ${types.join(", ")}`, {});
}

/** Throws 406 for a watch in YAML. */
export function checkWatchMediaType({ mediaType }: MediaTypeOptions): void {
  if (mediaType === YAML_TYPE) throw notAcceptableError(`only the following media types are accepted: ${STREAM_MEDIA_TYPES.join(", ")}`);
}

const ACCEPTED_TYPES = new Set(["application/*", "*/*", ...COLLECTION_MEDIA_TYPES]);
/** No media type of this server is longer, with the spaces around it. */
const MAX_TYPE_LENGTH = 128;

/**
 * Parses the clauses of an Accept header that can name a media type of this server, sorted by quality. Others, of which a header of a megabyte
 * may have hundreds of thousands, are skipped.
 */
export function parseAccept(accept: string): readonly AcceptClause[] {
  const clauses: AcceptClause[] = [];
  for (let start = 0; start <= accept.length; ) {
    const comma = accept.indexOf(",", start);
    const end = comma === -1 ? accept.length : comma;
    const semicolon = findBefore(accept, ";", start, end);
    const type = semicolon - start > MAX_TYPE_LENGTH ? "" : accept.slice(start, semicolon).trim().toLowerCase();
    if (ACCEPTED_TYPES.has(type)) clauses.push(parseClause(type, accept.slice(semicolon + 1, end)));
    start = end + 1;
  }
  // kube-apiserver treats a quality of 0 as the last choice.
  return clauses.sort((a, b) => b.quality - a.quality);
}

/** Returns the position of the character, or `end`. Looks no further than `end`. */
function findBefore(text: string, character: string, start: number, end: number): number {
  let at = start;
  while (at < end && text[at] !== character) at++;
  return at;
}

/** The parameters of a clause that are read; others are ignored. */
const PARAMETERS = new Set(["as", "g", "v", "q"]);

function parseClause(type: string, text: string): AcceptClause {
  const parameters = new Map<string, string>();
  for (let start = 0; start < text.length; ) {
    const end = findBefore(text, ";", start, text.length);
    const equals = findBefore(text, "=", start, end);
    const name = equals - start > MAX_TYPE_LENGTH ? "" : text.slice(start, equals).trim();
    if (PARAMETERS.has(name)) {
      const value = text.slice(equals + 1, end).trim();
      parameters.set(name, value.replace(/^"|"$/g, ""));
    }
    start = end + 1;
  }
  const quality = Number(parameters.get("q") ?? "1");
  parameters.delete("q");
  return { type, parameters, quality: Number.isNaN(quality) ? 1 : quality };
}

export function notAcceptableError(message: string): ApiError {
  return new ApiError(406, "NotAcceptable", message);
}
