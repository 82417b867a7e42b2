import { ApiError } from "../../status/index.ts";
import { validate } from "../admission.ts";
import { type Call, contextOf, knownKind } from "../call.ts";
import { decodeObject } from "../decode.ts";
import { metadataOf, withMetadata } from "../metadata/metadata.ts";
import { dedupeOwners } from "../metadata/owner-references.ts";
import { writeOptions } from "../options/write-options.ts";
import { tracked } from "../ownership.ts";
import { admissionFor } from "./admission-request.ts";
import { admitted } from "./admitted.ts";
import { type Answered, answered } from "./answered.ts";
import { insert } from "./insert.ts";
import { inNamespace } from "./namespace.ts";

export async function create(call: Call): Promise<Answered> {
  const { request, resource } = call;
  const options = writeOptions("CreateOptions", request.query, request.headers);
  const decoded = await decodeObject(request, resource, options.fieldValidation, call.warn, knownKind(call));
  const wiped = withMetadata(decoded, {
    creationTimestamp: undefined,
    uid: undefined,
    deletionTimestamp: undefined,
    deletionGracePeriodSeconds: undefined,
    selfLink: undefined,
  });
  if (resource.ask !== undefined) {
    const asked = tracked(call, inNamespace(call, wiped), undefined, options.manager);
    const question = await admitted(call, asked, undefined, options.dryRun);
    await validate(call.kernel.admission, { ...admissionFor(call, "CREATE", options.dryRun), object: question });
    return { status: 201, value: await resource.ask(question, { ...contextOf(call), dryRun: options.dryRun }) };
  }
  const { object, warning } = dedupeOwners(inNamespace(call, wiped), false);
  if (warning !== undefined) call.warn(warning);
  const owned = tracked(call, object, undefined, options.manager);
  const { resourceVersion = "0" } = metadataOf(owned);
  if (resourceVersion !== "0") throw new ApiError(500, "", "resourceVersion should not be set on objects to be created");
  return answered(201, call.view, await insert(call, await admitted(call, owned, undefined, options.dryRun), options.dryRun));
}
