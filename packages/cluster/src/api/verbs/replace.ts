import { type Call, knownKind } from "../call.ts";
import { decodeObject } from "../decode.ts";
import { metadataOf } from "../metadata/metadata.ts";
import { dedupeOwners } from "../metadata/owner-references.ts";
import { writeOptions } from "../options/write-options.ts";
import { tracked } from "../ownership.ts";
import { type Answered, answered } from "./answered.ts";
import { checkName, inNamespace } from "./namespace.ts";
import { update } from "./update.ts";

/** PUT, of the object or of a part of it. */
export async function replace(call: Call): Promise<Answered> {
  const { request, resource, info } = call;
  const options = writeOptions("UpdateOptions", request.query, request.headers);
  const decoded = inNamespace(call, await decodeObject(request, resource, options.fieldValidation, call.warn, knownKind(call)));
  checkName(call, decoded);
  const { object, warning } = dedupeOwners(decoded, false);
  if (warning !== undefined) call.warn(warning);
  const { viewed, created } = await update(call, {
    dryRun: options.dryRun,
    uid: metadataOf(object).uid,
    creates: resource.strategy.createOnUpdate && info.subresource === "",
    next: (live) => tracked(call, object, live, options.manager),
  });
  return answered(created ? 201 : 200, call.view, viewed);
}
