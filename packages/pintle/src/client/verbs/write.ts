import { InvalidArgumentError } from "../../errors/index.ts";
import { extendObject } from "../../json/index.ts";
import type { KindInfo } from "../../kinds/index.ts";
import { isStatus } from "../errors/status.ts";
import { decodeObject } from "./decode-object.ts";
import { encodeObject } from "./encode-object.ts";
import type { ApplyOptions, DeletionOptions, ObjectPatch, ObjectSelection, WriteOptions } from "./options.ts";
import { formatSubject, type ResourcePath } from "./path.ts";
import { buildDeleteOptions, buildSelectionQuery, buildWriteQuery } from "./query.ts";
import { type NamespacedName, sendVerb, type VerbContext } from "./request.ts";

interface WritableObject {
  readonly metadata: { readonly name?: string | undefined; readonly namespace?: string | undefined };
}

export const APPLY_PATCH_TYPE = "application/apply-patch+yaml";

/** Returns the verbs that write and delete objects. */
export function createWriteVerbs(context: VerbContext) {
  async function create(kind: KindInfo, object: WritableObject, options: WriteOptions = {}): Promise<unknown> {
    const target = { namespace: object.metadata.namespace };
    if (kind.scope === "Namespaced" && target.namespace === undefined) {
      throw new InvalidArgumentError(
        "PINTLE1050",
        `${kind.kind} ${JSON.stringify(object.metadata.name ?? "")}: metadata.namespace is missing`,
      );
    }
    const subject = formatSubject(kind, object.metadata);
    const content = { body: encodeObject(kind, object), query: buildWriteQuery(options, context.fieldManager), subject };
    return decodeResponse(kind, await sendVerb(context, "POST", kind, target, content, options));
  }

  async function replace(kind: KindInfo, object: WritableObject, options: WriteOptions = {}, subresource?: string): Promise<unknown> {
    const content = { body: encodeObject(kind, object), query: buildWriteQuery(options, context.fieldManager) };
    return decodeResponse(kind, await sendVerb(context, "PUT", kind, pathOfObject(kind, object, subresource), content, options));
  }

  async function patch(
    kind: KindInfo,
    ref: NamespacedName,
    patch: ObjectPatch,
    options: WriteOptions = {},
    subresource?: string,
  ): Promise<unknown> {
    const content = { ...encodePatch(patch), query: buildWriteQuery(options, context.fieldManager) };
    return decodeResponse(
      kind,
      await sendVerb(context, "PATCH", kind, { namespace: ref.namespace, name: ref.name, subresource }, content, options),
    );
  }

  async function apply(kind: KindInfo, object: WritableObject, options: ApplyOptions = {}, subresource?: string): Promise<unknown> {
    const query = buildApplyQuery(context, options);
    const content = { body: encodeObject(kind, object), contentType: APPLY_PATCH_TYPE, query };
    return decodeResponse(kind, await sendVerb(context, "PATCH", kind, pathOfObject(kind, object, subresource), content, options));
  }

  async function remove(kind: KindInfo, ref: NamespacedName, options: DeletionOptions = {}): Promise<unknown> {
    const target = { namespace: ref.namespace, name: ref.name };
    const response = await sendVerb(context, "DELETE", kind, target, { body: buildDeleteOptions(options) }, options);
    const body = await response.json();
    return isStatus(body) ? undefined : decodeObject(kind, body);
  }

  async function deleteCollection(kind: KindInfo, options: DeletionOptions & ObjectSelection): Promise<void> {
    if (kind.scope === "Namespaced" && options.namespace === undefined) {
      throw new InvalidArgumentError("PINTLE1050", `deleteCollection of ${kind.kind}: namespace is missing`);
    }
    const content = { body: buildDeleteOptions(options), query: buildSelectionQuery(options) };
    const response = await sendVerb(context, "DELETE", kind, { namespace: options.namespace }, content, options);
    await response.json();
  }

  return { create, replace, patch, apply, delete: remove, deleteCollection };
}

export function buildApplyQuery(context: VerbContext, options: ApplyOptions) {
  return extendObject(buildWriteQuery(options, context.fieldManager), { force: options.force ? "true" : undefined });
}

export function encodePatch(patch: ObjectPatch): { readonly body: unknown; readonly contentType: string } {
  if (patch.merge !== undefined) return { body: patch.merge, contentType: "application/merge-patch+json" };
  if (patch.strategic !== undefined) return { body: patch.strategic, contentType: "application/strategic-merge-patch+json" };
  return { body: patch.json, contentType: "application/json-patch+json" };
}

function pathOfObject(kind: KindInfo, object: WritableObject, subresource: string | undefined): ResourcePath {
  const { name, namespace } = object.metadata;
  if (name === undefined) throw new InvalidArgumentError("PINTLE1050", `${kind.kind}: metadata.name is missing`);
  return { namespace, name, subresource };
}

async function decodeResponse(kind: KindInfo, response: { json(): Promise<unknown> }): Promise<unknown> {
  return decodeObject(kind, await response.json());
}
