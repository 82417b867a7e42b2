import type { JsonObject, ManagedFieldsEntry } from "pintle/kinds";
import { admit } from "../admission.ts";
import type { Call } from "../call.ts";
import { metadataOf, withMetadata } from "../metadata/metadata.ts";
import { dedupeOwners } from "../metadata/owner-references.ts";
import { admissionFor, type Shown } from "./admission-request.ts";
import { inNamespace } from "./namespace.ts";

/** What mutating admission makes of an object; defaults are filled in again where it changed something. */
export async function admitted(
  call: Call,
  object: JsonObject,
  live: JsonObject | undefined,
  dryRun: boolean,
  shown?: Shown,
): Promise<JsonObject> {
  const { kernel, resource } = call;
  const request = admissionFor(call, live === undefined ? "CREATE" : "UPDATE", dryRun, shown?.kind);
  const name = request.name === "" ? (metadataOf(object).name ?? "") : request.name;
  const before = shown === undefined ? object : shown.of(object);
  const old = live === undefined || shown === undefined ? live : shown.of(live);
  const after = (await admit(kernel.admission, { ...request, name, object: before, live: old })) as JsonObject;
  const made = (next: JsonObject) =>
    shown === undefined ? inNamespace(call, withManagedFields(call, next, before)) : shown.into(object, next);
  const { object: clean, warning } = dedupeOwners(after === before ? object : resource.schema.default(made(after)), true);
  if (warning !== undefined) call.warn(warning);
  return clean;
}

const SPOILT =
  ".metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests";

/** What admission made of managed fields counts only where they still are some. */
function withManagedFields(call: Call, after: JsonObject, before: JsonObject): JsonObject {
  const { managedFields } = metadataOf(before);
  const entries = metadataOf(after).managedFields ?? [];
  const problem = entries === managedFields ? undefined : entries.map(entryProblem).find((each) => each !== undefined);
  if (problem === undefined) return after;
  call.warn(`${SPOILT}: ${problem}`);
  return withMetadata(after, { managedFields });
}

function entryProblem({ operation, apiVersion, fieldsType }: ManagedFieldsEntry, index: number): string | undefined {
  if (operation !== "Apply" && operation !== "Update") return "operation must be `Apply` or `Update`";
  if (!apiVersion) return "apiVersion must not be empty";
  if (!fieldsType) return `missing fieldsType in managed fields entry ${index}`;
  return fieldsType === "FieldsV1" ? undefined : `invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${index}`;
}
