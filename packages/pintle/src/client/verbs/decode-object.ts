import { InvalidArgumentError } from "../../errors/index.ts";
import type { KindInfo } from "../../kinds/index.ts";
import { SchemaMismatch } from "../errors/request-errors.ts";
import { formatSubject } from "./path.ts";
import type { StandardSchema, StandardSchemaIssue } from "./standard-schema.ts";

/** The property under which a kind of `client.discoverKind(…, schema)` holds its schema. */
export const SCHEMA = Symbol("schema");

interface ReceivedObject {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined };
}

/**
 * Returns a received object as its type promises: with apiVersion and kind, reduced to metadata for a metadata-only kind, and validated
 * against the schema of the kind. The object itself is not modified. Throws `SchemaMismatch`.
 */
export function decodeObject(kind: KindInfo, object: unknown): unknown {
  const received = object as ReceivedObject;
  if (kind.metadataOnly) return { apiVersion: kind.apiVersion, kind: kind.kind, metadata: received.metadata };
  const schema = (kind as { readonly [SCHEMA]?: StandardSchema })[SCHEMA];
  if (schema !== undefined) validateAgainstSchema(schema, kind, received);
  return received.kind === undefined ? { apiVersion: kind.apiVersion, kind: kind.kind, ...received } : received;
}

/** Decodes the items of a list. Lists of built-in kinds omit apiVersion and kind in their items; others are returned as they are. */
export function decodeItems(kind: KindInfo, items: readonly unknown[]): readonly unknown[] {
  const plain = !kind.metadataOnly && !(SCHEMA in kind) && (items[0] as ReceivedObject | undefined)?.kind !== undefined;
  return plain ? items : items.map((item) => decodeObject(kind, item));
}

function validateAgainstSchema(schema: StandardSchema, kind: KindInfo, object: ReceivedObject): void {
  const result = schema["~standard"].validate(object);
  if (result instanceof Promise)
    throw new InvalidArgumentError(
      "PINTLE1058",
      `the schema of ${kind.kind} validates asynchronously; objects are validated synchronously`,
    );
  if (result.issues === undefined) return;
  const problems = result.issues.map(formatIssue).join("; ");
  throw new SchemaMismatch(`${formatSubject(kind, object.metadata)} does not match the schema given to client.discoverKind(): ${problems}`);
}

function formatIssue({ path, message }: StandardSchemaIssue): string {
  const at = path?.map((part) => String(typeof part === "object" ? part.key : part)).join(".");
  return at === undefined || at === "" ? message : `${at}: ${message}`;
}
