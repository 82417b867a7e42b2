import { readFileSync } from "node:fs";
import { normalizeResponse } from "./evaluate.ts";
import type { CrdCase, SchemaResponse, SchemaSuite } from "./suite.ts";

/** A suite with the responses of a real kube-apiserver. */
export interface GoldenSchemaSuite {
  readonly suite: SchemaSuite;
  readonly responses: readonly SchemaResponse[];
}
export interface GoldenCrd extends CrdCase {
  readonly response: SchemaResponse;
}

/** Reads the recorded responses of a real kube-apiserver; the conformance run updates them. */
export function readGolden<T>(file: string): readonly T[] {
  return JSON.parse(readFileSync(new URL(`golden/${file}`, import.meta.url), "utf8"));
}

/** Drops the message if the causes contain it, which halves the files, and sorts causes and warnings. */
export function compactResponse(response: SchemaResponse): SchemaResponse {
  if (response.warnings !== undefined) return { ...response, warnings: [...response.warnings].sort() };
  if (response.causes === undefined || !isMessageDerivedFromCauses(response)) return response;
  const { message: _, causes, ...rest } = response;
  return { ...rest, causes: [...causes].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) };
}

/** Normalizes our response in the same way as the recorded one. */
export function normalizeLike(ours: SchemaResponse, theirs: SchemaResponse): unknown {
  return normalizeResponse(theirs.message === undefined ? compactResponse(ours) : ours);
}

function isMessageDerivedFromCauses({ message = "", causes = [] }: SchemaResponse): boolean {
  const texts = new Set(causes.map(({ field, message: detail }) => `${field}: ${detail}`));
  const [, list = ""] = /^\S+ "[^"]*" is invalid: (.*)$/s.exec(message) ?? [];
  return list === (texts.size === 1 ? [...texts][0] : `[${[...texts].join(", ")}]`);
}
