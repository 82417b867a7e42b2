import { isObject, type JsonObject } from "pintle/kinds";
import { notFound } from "../../status/index.ts";
import { decodeBody } from "../body.ts";
import { type Call, contextOf, resourceName } from "../call.ts";
import { deleteOptions } from "../options/delete-options.ts";
import { writeOptions } from "../options/write-options.ts";
import { type ActionSubresource, apiVersionOf } from "../resource.ts";
import { keyOf } from "../stored.ts";
import type { Answered } from "./answered.ts";
import { removeObject } from "./delete.ts";

/** A subresource that is a verb of its own: eviction, binding, token. */
export async function action(call: Call, subresource: ActionSubresource): Promise<Answered> {
  const { request, info } = call;
  const { accepts } = subresource;
  const { verb, namespace, name } = info;
  const body = (await decodeBody(request, { ...accepts, apiVersion: apiVersionOf(accepts) }))?.value;
  const { dryRun } = writeOptions(verb === "create" ? "CreateOptions" : "UpdateOptions", request.query, request.headers);
  const value = await subresource.act({
    verb,
    namespace,
    name,
    body: isObject(body) ? body : undefined,
    dryRun,
    context: contextOf(call),
    change: (next) => change(call, next, dryRun),
    async remove(options) {
      await removeObject(call, deleteOptions(new Map(), dryRun ? { ...options, dryRun: ["All"] } : options));
    },
  });
  return { status: verb === "create" ? 201 : 200, value };
}

/** Read, change, write back; the action itself is responsible for what it changes. */
async function change({ kernel, resource, info }: Call, next: (live: JsonObject) => JsonObject, dryRun: boolean): Promise<JsonObject> {
  for (;;) {
    const entry = await kernel.store.get(keyOf(resource, info.namespace, info.name));
    if (entry === undefined) throw notFound(resourceName(resource), info.name);
    const changed = next(await kernel.views.of(resource, entry.value));
    if (dryRun) return changed;
    const result = await kernel.store.txn(entry.key, entry.revision, { put: await kernel.views.toStorage(resource, changed) });
    if (result.ok) return kernel.views.of(resource, result.entry.value);
  }
}
