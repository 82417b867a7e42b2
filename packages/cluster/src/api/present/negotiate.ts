import { ApiError } from "../../status/index.ts";
import type { MediaType } from "../request.ts";

/** How the client wants to see objects. */
export interface Presentation {
  readonly mediaType: MediaType;
  readonly as: Transform | undefined;
}
export interface Transform {
  readonly kind: "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList";
  readonly version: "v1" | "v1beta1";
}

interface Clause {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

export const JSON_TYPE = "application/json";
const YAML_TYPE = "application/yaml";
export const PROTOBUF_TYPE = "application/vnd.kubernetes.protobuf";
const MEDIA_TYPES: readonly MediaType[] = [JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE];
const STREAMS = [JSON_TYPE, PROTOBUF_TYPE].map((type) => `${type};stream=watch`);
const TRANSFORMS = new Set(["Table", "PartialObjectMetadata", "PartialObjectMetadataList"]);

export const AS_IS: Presentation = { mediaType: JSON_TYPE, as: undefined };

/** Clients say the same all the time. */
const known = { typed: new Map<string, Presentation>(), custom: new Map<string, Presentation>() };
const MAX_KNOWN = 1000;

/** The first of the client's wishes that can be met; throws 406. Only built-in kinds (`typed`) have a protobuf form. */
export function negotiate(accept: string | undefined, typed: boolean): Presentation {
  if (accept === undefined || accept === "" || accept === JSON_TYPE) return AS_IS;
  const seen = typed ? known.typed : known.custom;
  let presentation = seen.get(accept);
  if (presentation === undefined) {
    presentation = negotiated(accept, typed);
    if (seen.size >= MAX_KNOWN) seen.clear();
    seen.set(accept, presentation);
  }
  return presentation;
}

function negotiated(accept: string, typed: boolean): Presentation {
  for (const clause of parseAccept(accept)) {
    for (const mediaType of MEDIA_TYPES) {
      if (!isMeant(clause, mediaType)) continue;
      const as = clause.parameters.get("as");
      const group = clause.parameters.get("g");
      const version = clause.parameters.get("v");
      if (as === undefined && group === undefined && version === undefined) {
        if (typed || mediaType !== PROTOBUF_TYPE) return { mediaType, as: undefined };
        continue;
      }
      const served = group === "meta.k8s.io" && (version === "v1" || version === "v1beta1") && as !== undefined && TRANSFORMS.has(as);
      if (served && (as !== "Table" || mediaType !== PROTOBUF_TYPE)) return { mediaType, as: { kind: as as Transform["kind"], version } };
    }
  }
  throw notAcceptable(`only the following media types are accepted: ${MEDIA_TYPES.join(", ")}`);
}

function isMeant({ type }: Clause, mediaType: string): boolean {
  return type === mediaType || type === "application/*" || type === "*/*";
}

/** What can be had where objects are answered, and where they can be watched too. */
export const OBJECTS: readonly string[] = MEDIA_TYPES;
export const COLLECTIONS: readonly string[] = [...MEDIA_TYPES, ...STREAMS];

/** Before anything else, whatever is built in refuses a client that speaks none of its languages. */
export function checkLanguage(accept: string | undefined, types: readonly string[]): void {
  if (accept === undefined || accept === "" || accept === JSON_TYPE) return;
  // Whoever was understood before.
  if (types.length > 1 && known.typed.has(accept)) return;
  const clauses = parseAccept(accept);
  if (types.some((type) => clauses.some((clause) => isMeant(clause, type)))) return;
  throw new ApiError(406, "NotAcceptable", `406: Not Acceptable\n\nAvailable representations: ${types.join(", ")}`, {});
}

/** Watches have no YAML. */
export function checkStreamed({ mediaType }: Presentation): void {
  if (mediaType === YAML_TYPE) throw notAcceptable(`only the following media types are accepted: ${STREAMS.join(", ")}`);
}

/** Clauses of an Accept header, the most wanted first. */
export function parseAccept(accept: string): readonly Clause[] {
  const clauses = accept.split(",").map((text): Clause => {
    const [type = "", ...rest] = text.split(";").map((part) => part.trim());
    const parameters = new Map(
      rest.map((part) => {
        const at = part.indexOf("=");
        return at === -1
          ? ([part, ""] as const)
          : ([
              part.slice(0, at).trim(),
              part
                .slice(at + 1)
                .trim()
                .replace(/^"|"$/g, ""),
            ] as const);
      }),
    );
    const quality = Number(parameters.get("q") ?? "1");
    parameters.delete("q");
    return { type: type.toLowerCase(), parameters, quality: Number.isNaN(quality) ? 1 : quality };
  });
  // Upstream knows no refusals: a quality of nothing is the last choice.
  return clauses.sort((a, b) => b.quality - a.quality);
}

export function notAcceptable(message: string): ApiError {
  return new ApiError(406, "NotAcceptable", message);
}
