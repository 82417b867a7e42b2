import type { JsonObject } from "pintle/kinds";
import { notFound } from "../../status/index.ts";
import { admit, validate } from "../admission.ts";
import { type Call, contextOf, knownKind, resourceName } from "../call.ts";
import { decodeObject } from "../decode.ts";
import { deleteOptions } from "../options/delete-options.ts";
import { writeOptions } from "../options/write-options.ts";
import { tracked } from "../ownership.ts";
import type { ActionSubresource } from "../resource.ts";
import { keyOf } from "../stored.ts";
import { admissionFor } from "./admission-request.ts";
import type { Answered } from "./answered.ts";
import { removeObject } from "./delete.ts";
import { inNamespace } from "./namespace.ts";

/** A subresource that is a verb of its own: eviction, binding, token. */
export async function action(call: Call, subresource: ActionSubresource): Promise<Answered> {
  const { kernel, request, info, resource } = call;
  const { verb, namespace, name } = info;
  const accepted: Call = { ...call, resource: { ...resource, ...subresource.accepts } };
  const { dryRun, manager, fieldValidation } = writeOptions(
    verb === "create" ? "CreateOptions" : "UpdateOptions",
    request.query,
    request.headers,
  );
  const decoded = await decodeObject(request, accepted.resource, fieldValidation, call.warn, knownKind(call));
  const owned = tracked(accepted, inNamespace(call, decoded), undefined, manager);
  const admission = admissionFor(call, verb === "create" ? "CREATE" : "UPDATE", dryRun, subresource.accepts);
  const body = (await admit(kernel.admission, { ...admission, object: owned })) as JsonObject;
  await validate(kernel.admission, { ...admission, object: body });
  const value = await subresource.act({
    verb,
    namespace,
    name,
    body,
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
    const changed = next(await kernel.views.of(resource, entry));
    if (dryRun) return changed;
    const result = await kernel.store.txn(entry.key, entry.revision, { put: await kernel.views.toStorage(resource, changed) });
    if (result.ok) return kernel.views.of(resource, result.entry, result.value);
  }
}
