import type { JsonObject } from "pintle/kinds";
import { equal } from "pintle/merge";
import { ApiError, conflict, notFound } from "../../status/index.ts";
import type { Entry } from "../../store/index.ts";
import { admit, validate } from "../admission.ts";
import { type Call, contextOf, kindName, resourceName } from "../call.ts";
import { deletionStep } from "../deletion.ts";
import { metadataOf } from "../metadata/metadata.ts";
import { type DeleteOptions, deleteOptions } from "../options/delete-options.ts";
import { presentObject } from "../present/present.ts";
import { keyOf } from "../stored.ts";
import { admissionFor } from "./admission-request.ts";
import type { Answered } from "./answered.ts";
import { deleteBody } from "./delete-body.ts";

export async function remove(call: Call): Promise<Answered> {
  const options = deleteOptions(call.request.query, await deleteBody(call.request));
  const { object, gone } = await removeObject(call, options);
  const accepted = !gone && options.orphanDependents === false;
  return { status: accepted ? 202 : 200, value: presentObject(call.view, object) };
}

export interface Removed {
  /** The object, or a Status when it is gone and its kind says no more. */
  readonly object: JsonObject;
  readonly gone: boolean;
}

export async function removeObject(call: Call, options: DeleteOptions): Promise<Removed> {
  const { kernel, resource, info } = call;
  const rules = resource.strategy.deletion ?? {};
  const key = keyOf(resource, info.namespace, info.name);
  if (rules.warning !== undefined && options.propagation === undefined && options.orphanDependents === undefined) call.warn(rules.warning);
  for (;;) {
    const entry = await kernel.store.get(key);
    if (entry === undefined) throw notFound(resourceName(resource), info.name);
    const live = await kernel.views.of(resource, entry);
    checkPreconditions(call, options, live);
    const request = { ...admissionFor(call, "DELETE", options.dryRun), live, options: () => sentOptions(call, options, live) };
    await admit(kernel.admission, request);
    await validate(kernel.admission, request);

    const step = deletionStep(live, options, rules, contextOf(call));
    if (step.type === "pending") return { object: live, gone: false };
    if (step.type === "remove") {
      const last = options.dryRun ? (step.marked ?? live) : await removed(call, entry, step.marked);
      if (last === undefined) continue;
      return { object: rules.returnsObject ? last : succeeded(call, live), gone: true };
    }
    if (options.dryRun || equal(step.object, live)) return { object: step.object, gone: false };
    const result = await kernel.store.txn(key, entry.revision, await kernel.views.change(resource, step.object));
    if (!result.ok) continue;
    return { object: (await kernel.views.written(resource, result)).object, gone: false };
  }
}

/** A namespace goes only as the one that was asked for. */
function sentOptions({ resource }: Call, { sent }: DeleteOptions, live: JsonObject): JsonObject {
  const isNamespace = resource.group === "" && resource.kind === "Namespace";
  const uid = metadataOf(live).uid as string;
  return isNamespace ? { ...sent, preconditions: { uid, ...(sent["preconditions"] as JsonObject | undefined) } } : sent;
}

/** What it was in the end; undefined: somebody else was faster. */
async function removed({ kernel, resource }: Call, entry: Entry, marked: JsonObject | undefined): Promise<JsonObject | undefined> {
  const { store, views } = kernel;
  let { revision } = entry;
  if (marked !== undefined) {
    const announced = await store.txn(entry.key, revision, { put: await views.toStorage(resource, marked) });
    if (!announced.ok) return undefined;
    revision = announced.entry.revision;
  }
  const result = await store.txn(entry.key, revision, { delete: true });
  return result.ok ? views.of(resource, result.entry, result.value) : undefined;
}

function checkPreconditions({ resource, info }: Call, { uid, resourceVersion }: DeleteOptions, live: JsonObject): void {
  const actual = metadataOf(live);
  if (uid !== undefined && uid !== actual.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${actual.uid}). The object might have been deleted and then recreated`;
    throw conflict(kindName(resource), info.name, why);
  }
  if (resourceVersion !== undefined && resourceVersion !== actual.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${actual.resourceVersion}). The object might have been modified`;
    throw conflict(kindName(resource), info.name, why);
  }
}

function succeeded({ resource, info }: Call, live: JsonObject): JsonObject {
  const details = {
    name: info.name,
    ...(resource.group === "" ? {} : { group: resource.group }),
    kind: resource.plural,
    uid: metadataOf(live).uid,
  };
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details };
}

/** True for the error of an object that went away by itself. */
export function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.reason === "NotFound";
}
