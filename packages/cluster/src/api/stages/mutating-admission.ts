import type { JsonObject, ManagedFieldsEntry } from "pintle/kinds";
import { type AdmissionRequest, runMutatingAdmission } from "../admission/admission-chain.ts";
import { buildAdmissionRequest } from "../admission/admission-request.ts";
import { getMetadata, withMetadata } from "../metadata/object-meta.ts";
import { dedupeOwnerReferences } from "../metadata/owner-references.ts";
import type { ActionSubresource } from "../registry/served-resource.ts";
import { ensureNamespace } from "../request/object-identity.ts";
import type { RequestContext } from "../request-context.ts";

/**
 * Runs the mutating admission plugins: built-in plugins, policies, webhooks. What a plugin changed is defaulted again.
 * Throws what a plugin throws. Reads `object`, `live`, `subresourceView`, `deleteOptions`; writes `object`, `admittedObject`, `admissionRequest`.
 */
export function mutatingAdmission(context: RequestContext): Promise<RequestContext> {
  if (context.operation === "delete") return admitDelete(context);
  return context.operation === "action" ? admitAction(context) : admitObject(context);
}

async function admitObject(context: RequestContext): Promise<RequestContext> {
  const { server, resource, object, live, subresourceView: view } = context;
  const request = buildAdmissionRequest(context, live === undefined ? "CREATE" : "UPDATE", context.writeOptions.dryRun, view?.kind);
  const name = request.name === "" ? (getMetadata(object).name ?? "") : request.name;
  const before = view === undefined ? object : view.read(object);
  const liveBefore = live === undefined || view === undefined ? live : view.read(live);
  const after = (await runMutatingAdmission(server.admissionChain, { ...request, name, object: before, live: liveBefore })) as JsonObject;
  const admitted = after === before ? object : resource.schema.default(mergeAdmitted(context, after, before));
  const { object: deduped, warning } = dedupeOwnerReferences(admitted, true);
  if (warning !== undefined) context.warn(warning);
  context.object = deduped;
  context.admittedObject = deduped;
  return context;
}

function mergeAdmitted(context: RequestContext, after: JsonObject, before: JsonObject): JsonObject {
  const { object, subresourceView: view } = context;
  return view === undefined ? ensureNamespace(context, restoreManagedFields(context, after, before)) : view.write(object, after);
}

async function admitAction(context: RequestContext): Promise<RequestContext> {
  const { server, info, object } = context;
  const { accepts } = context.subresource as ActionSubresource;
  const operation = info.verb === "create" ? "CREATE" : "UPDATE";
  const request = buildAdmissionRequest(context, operation, context.writeOptions.dryRun, accepts);
  context.admissionRequest = request;
  context.object = (await runMutatingAdmission(server.admissionChain, { ...request, object })) as JsonObject;
  return context;
}

async function admitDelete(context: RequestContext): Promise<RequestContext> {
  const { server, deleteOptions } = context;
  const live = context.live as JsonObject;
  const request: AdmissionRequest = {
    ...buildAdmissionRequest(context, "DELETE", deleteOptions.dryRun),
    live,
    options: () => buildDeleteOptions(context, live),
  };
  context.admissionRequest = request;
  await runMutatingAdmission(server.admissionChain, request);
  return context;
}

/** The options of a delete as admission sees them: those of a namespace have its uid as a precondition. */
function buildDeleteOptions({ resource, deleteOptions }: RequestContext, live: JsonObject): JsonObject {
  const { requestedOptions } = deleteOptions;
  if (resource.group !== "" || resource.kind !== "Namespace") return requestedOptions;
  const uid = getMetadata(live).uid as string;
  return { ...requestedOptions, preconditions: { uid, ...(requestedOptions["preconditions"] as JsonObject | undefined) } };
}

const INVALID_MANAGED_FIELDS =
  ".metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests";

/** Undoes what admission did to managed fields if they are not valid any more. */
function restoreManagedFields({ warn }: RequestContext, after: JsonObject, before: JsonObject): JsonObject {
  const { managedFields } = getMetadata(before);
  const entries = getMetadata(after).managedFields ?? [];
  const problem = entries === managedFields ? undefined : entries.map(validateManagedFieldsEntry).find((each) => each !== undefined);
  if (problem === undefined) return after;
  warn(`${INVALID_MANAGED_FIELDS}: ${problem}`);
  return withMetadata(after, { managedFields });
}

function validateManagedFieldsEntry({ operation, apiVersion, fieldsType }: ManagedFieldsEntry, index: number): string | undefined {
  if (operation !== "Apply" && operation !== "Update") return "operation must be `Apply` or `Update`";
  if (!apiVersion) return "apiVersion must not be empty";
  if (!fieldsType) return `missing fieldsType in managed fields entry ${index}`;
  return fieldsType === "FieldsV1" ? undefined : `invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${index}`;
}
