import { extended, type KindFacts } from "../kinds/index.ts";
import { type Core, type PlainRef, send } from "./core.ts";
import type { ApplyOptions, DeleteOptions, Patch, Selection, WriteOptions } from "./options.ts";
import { type Place, subjectOf } from "./path.ts";
import { presented } from "./presented.ts";
import { deleteBody, selectionQuery, writeQuery } from "./query.ts";
import { isStatus } from "./status.ts";
import { written } from "./written.ts";

interface Body {
  readonly metadata: { readonly name?: string | undefined; readonly namespace?: string | undefined };
}

export const APPLY = "application/apply-patch+yaml";

export function writing(core: Core) {
  async function create(kind: KindFacts, object: Body, options: WriteOptions = {}): Promise<unknown> {
    const place = { namespace: object.metadata.namespace };
    if (kind.scope === "Namespaced" && place.namespace === undefined) {
      throw new TypeError(`${kind.kind} ${JSON.stringify(object.metadata.name ?? "")}: metadata.namespace is missing`);
    }
    const subject = subjectOf(kind, object.metadata);
    const sent = { body: written(kind, object), query: writeQuery(options, core.fieldManager), subject };
    return answer(kind, await send(core, "POST", kind, place, sent, options));
  }

  async function replace(kind: KindFacts, object: Body, options: WriteOptions = {}, subresource?: string): Promise<unknown> {
    const sent = { body: written(kind, object), query: writeQuery(options, core.fieldManager) };
    return answer(kind, await send(core, "PUT", kind, placeOf(kind, object, subresource), sent, options));
  }

  async function patch(kind: KindFacts, ref: PlainRef, change: Patch, options: WriteOptions = {}, subresource?: string): Promise<unknown> {
    const sent = { ...patchBody(change), query: writeQuery(options, core.fieldManager) };
    return answer(kind, await send(core, "PATCH", kind, { namespace: ref.namespace, name: ref.name, subresource }, sent, options));
  }

  async function apply(kind: KindFacts, object: Body, options: ApplyOptions = {}, subresource?: string): Promise<unknown> {
    const query = applyQuery(core, options);
    const sent = { body: written(kind, object), contentType: APPLY, query };
    return answer(kind, await send(core, "PATCH", kind, placeOf(kind, object, subresource), sent, options));
  }

  async function remove(kind: KindFacts, ref: PlainRef, options: DeleteOptions = {}): Promise<unknown> {
    const place = { namespace: ref.namespace, name: ref.name };
    const response = await send(core, "DELETE", kind, place, { body: deleteBody(options) }, options);
    const body = await response.json();
    return isStatus(body) ? undefined : presented(kind, body);
  }

  async function deleteCollection(kind: KindFacts, options: DeleteOptions & Selection): Promise<void> {
    if (kind.scope === "Namespaced" && options.namespace === undefined) {
      throw new TypeError(`deleteCollection of ${kind.kind}: say in which namespace`);
    }
    const sent = { body: deleteBody(options), query: selectionQuery(options) };
    const response = await send(core, "DELETE", kind, { namespace: options.namespace }, sent, options);
    await response.json();
  }

  return { create, replace, patch, apply, delete: remove, deleteCollection };
}

export function applyQuery(core: Core, options: ApplyOptions) {
  return extended(writeQuery(options, core.fieldManager), { force: options.force ? "true" : undefined });
}

export function patchBody(change: Patch): { readonly body: unknown; readonly contentType: string } {
  if (change.merge !== undefined) return { body: change.merge, contentType: "application/merge-patch+json" };
  if (change.strategic !== undefined) return { body: change.strategic, contentType: "application/strategic-merge-patch+json" };
  return { body: change.json, contentType: "application/json-patch+json" };
}

function placeOf(kind: KindFacts, object: Body, subresource: string | undefined): Place {
  const { name, namespace } = object.metadata;
  if (name === undefined) throw new TypeError(`${kind.kind}: metadata.name is missing`);
  return { namespace, name, subresource };
}

async function answer(kind: KindFacts, response: { json(): Promise<unknown> }): Promise<unknown> {
  return presented(kind, await response.json());
}
