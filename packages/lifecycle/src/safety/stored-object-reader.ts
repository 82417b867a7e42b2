import { type Client, type DynamicKind, Expired } from "pintle/client";
import type { JsonObject } from "pintle/internal/json";
import type { ReadStoredObjects } from "./stored-objects.ts";

const PAGE_SIZE = 500;

/**
 * Reads the objects of a custom resource in pages of 500. If the list expires between two pages, it continues with the latest objects, as kubectl
 * does.
 *
 * @example
 * ```ts
 * import { checkStoredObjects, createStoredObjectReader } from "@pintle/lifecycle";
 * import { connect } from "pintle/client";
 * import type { JsonObject } from "pintle/kinds";
 * import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
 *
 * const client = await connect();
 * const live = (await client.get(CustomResourceDefinition, { name: "shops.example.com" })) as unknown as JsonObject;
 * const next: JsonObject = { ...live };
 * const readPage = createStoredObjectReader(client, live);
 * await checkStoredObjects({ live, next, readPage, onRefused: ({ name, problems }) => console.log(name, problems) });
 * ```
 */
export function createStoredObjectReader(
  client: Client,
  definition: JsonObject,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): ReadStoredObjects {
  const { group, names } = definition["spec"] as { readonly group: string; readonly names: { readonly kind: string } };
  const kinds = new Map<string, DynamicKind>();
  return async (version, token) => {
    const kind = kinds.get(version) ?? (await client.discoverKind(`${group}/${version}`, names.kind, { signal }));
    kinds.set(version, kind);
    const list = (from: string | undefined) => client.list(kind, { limit: PAGE_SIZE, continue: from, signal });
    const page = await list(token).catch((error: unknown) => {
      if (error instanceof Expired && error.continue) return list(error.continue);
      throw error;
    });
    const { continue: next, remainingItemCount: remaining } = page.metadata;
    return { items: page.items as readonly JsonObject[], continue: next, remaining };
  };
}
