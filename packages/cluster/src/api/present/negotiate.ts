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
const MEDIA_TYPES: readonly MediaType[] = [JSON_TYPE, YAML_TYPE];
const TRANSFORMS = new Set(["Table", "PartialObjectMetadata", "PartialObjectMetadataList"]);

export const AS_IS: Presentation = { mediaType: JSON_TYPE, as: undefined };

/** The first of the client's wishes that can be met; throws 406. */
export function negotiate(accept: string | undefined): Presentation {
  if (accept === undefined || accept === "") return AS_IS;
  for (const clause of parseAccept(accept)) {
    for (const mediaType of MEDIA_TYPES) {
      if (clause.type !== mediaType && clause.type !== "application/*" && clause.type !== "*/*") continue;
      const as = clause.parameters.get("as");
      const group = clause.parameters.get("g");
      const version = clause.parameters.get("v");
      if (as === undefined && group === undefined && version === undefined) return { mediaType, as: undefined };
      const known = group === "meta.k8s.io" && (version === "v1" || version === "v1beta1") && as !== undefined && TRANSFORMS.has(as);
      if (known) return { mediaType, as: { kind: as as Transform["kind"], version } };
    }
  }
  throw notAcceptable(`only the following media types are accepted: ${MEDIA_TYPES.join(", ")}`);
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
  return clauses.filter((clause) => clause.quality > 0).sort((a, b) => b.quality - a.quality);
}

export function notAcceptable(message: string): ApiError {
  return new ApiError(406, "NotAcceptable", message);
}
