import type { JsonObject } from "pintle/kinds";
import { admit } from "../admission.ts";
import type { Call } from "../call.ts";
import { dedupeOwners } from "../metadata/owner-references.ts";
import { admissionFor } from "./insert.ts";

/** What mutating admission makes of an object; defaults are filled in again where it changed something. */
export async function admitted(call: Call, object: JsonObject, live: JsonObject | undefined, dryRun: boolean): Promise<JsonObject> {
  const { kernel, resource } = call;
  const request = admissionFor(call, live === undefined ? "CREATE" : "UPDATE", dryRun);
  const result = (await admit(kernel.admission, { ...request, object, live })) as JsonObject;
  const { object: clean, warning } = dedupeOwners(result === object ? result : resource.schema.default(result), true);
  if (warning !== undefined) call.warn(warning);
  return clean;
}
