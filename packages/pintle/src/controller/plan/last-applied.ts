import type { JsonObject } from "../../json/index.ts";
import { extendObject } from "../../json/index.ts";
import type { KindInfo, Metadata } from "../../kinds/index.ts";
import { digest } from "../../merge/index.ts";
import { LAST_APPLIED_ANNOTATION } from "../names.ts";

/** The last-applied record: what a controller applied, kept in an annotation, so that after a restart nothing has to be applied again. */
export interface LastAppliedRecord {
  readonly controller: string;
  /** Digest of the applied body. */
  readonly desiredDigest: string;
  /** Digest of what the API server stored of it; only where that differs from the applied body. */
  readonly resultDigest: string | undefined;
}

/** Reads the last-applied record of an object. */
export function readLastApplied(metadata: Pick<Metadata, "annotations">): LastAppliedRecord | undefined {
  const text = metadata.annotations?.[LAST_APPLIED_ANNOTATION];
  if (text === undefined) return undefined;
  const [controller = "", desiredDigest = "", resultDigest] = text.split(" ");
  return { controller, desiredDigest, resultDigest };
}

/** Adds the last-applied record to a body. */
export function withLastApplied(body: JsonObject, { controller, desiredDigest, resultDigest }: LastAppliedRecord): JsonObject {
  const metadata = body["metadata"] as JsonObject;
  const text = resultDigest === undefined ? `${controller} ${desiredDigest}` : `${controller} ${desiredDigest} ${resultDigest}`;
  const annotations = { ...(metadata["annotations"] as JsonObject | undefined), [LAST_APPLIED_ANNOTATION]: text };
  return { ...body, metadata: extendObject(metadata, { annotations }) };
}

/** Returns the digest for the record. The values of a Secret must not be guessable from an annotation, so only its keys are part of the digest. */
export function digestForRecord(kind: KindInfo, body: JsonObject, desiredDigest: string): string {
  if (!isSecret(kind)) return desiredDigest;
  const { data, ...rest } = body;
  return digest({ ...rest, data: Object.keys((data ?? {}) as JsonObject).sort() });
}

export const isSecret = (kind: KindInfo) => kind.group === "" && kind.kind === "Secret";
