import type { KindFacts } from "../kinds/index.ts";
import { SchemaMismatch } from "./errors.ts";
import { subjectOf } from "./path.ts";
import type { Schema, SchemaIssue } from "./schema.ts";

/** Where `client.kind(…, schema)` keeps its schema. */
export const SCHEMA = Symbol("schema");

interface Answered {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined };
}

/**
 * An answered object as the types promise it: with its own apiVersion and kind, metadata alone where only that was
 * asked for, and matching its schema where one was given. The object itself is never touched.
 */
export function presented(kind: KindFacts, object: unknown): unknown {
  const answered = object as Answered;
  if (kind.metadataOnly) return { apiVersion: kind.apiVersion, kind: kind.kind, metadata: answered.metadata };
  const schema = (kind as { readonly [SCHEMA]?: Schema })[SCHEMA];
  if (schema !== undefined) check(schema, kind, answered);
  return answered.kind === undefined ? { apiVersion: kind.apiVersion, kind: kind.kind, ...answered } : answered;
}

/** Lists of built-in kinds leave apiVersion and kind out of their items; the others are passed on as they are. */
export function presentedItems(kind: KindFacts, items: readonly unknown[]): readonly unknown[] {
  const plain = !kind.metadataOnly && !(SCHEMA in kind) && (items[0] as Answered | undefined)?.kind !== undefined;
  return plain ? items : items.map((item) => presented(kind, item));
}

function check(schema: Schema, kind: KindFacts, object: Answered): void {
  const result = schema["~standard"].validate(object);
  if (result instanceof Promise)
    throw new TypeError(`the schema of ${kind.kind} checks asynchronously; objects are checked as they are read`);
  if (result.issues === undefined) return;
  const wrong = result.issues.map(issueText).join("; ");
  throw new SchemaMismatch(`${subjectOf(kind, object.metadata)} does not match the schema given to client.kind(): ${wrong}`);
}

function issueText({ path, message }: SchemaIssue): string {
  const at = path?.map((part) => String(typeof part === "object" ? part.key : part)).join(".");
  return at === undefined || at === "" ? message : `${at}: ${message}`;
}
