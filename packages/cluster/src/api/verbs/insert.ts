import type { JsonObject } from "pintle/kinds";
import { ApiError, alreadyExists, forbidden, invalid, qualified } from "../../status/index.ts";
import { validate } from "../admission.ts";
import { type Call, contextOf, kindName, resourceName } from "../call.ts";
import { generateName, generateUid } from "../metadata/generate-name.ts";
import { metadataOf, withMetadata } from "../metadata/metadata.ts";
import { subdomainName, validateMetadata } from "../metadata/validate.ts";
import { keyOf, type Viewed } from "../stored.ts";
import { prepareCreate } from "../strategy.ts";
import { checkType } from "../type-meta.ts";
import { admissionFor } from "./admission-request.ts";

const NAME_ATTEMPTS = 8;

/** Stores an object that admission has let in; returns it as stored. */
export async function insert(call: Call, admitted: JsonObject, dryRun: boolean): Promise<Viewed> {
  const { name, generateName: prefix } = metadataOf(admitted);
  if (!prefix) return insertOnce(call, admitted, dryRun);
  // A name of its own is not tried again, but refused in the same words.
  for (let attempt = name === undefined ? 1 : NAME_ATTEMPTS; ; attempt++) {
    const named = name === undefined ? withMetadata(admitted, { name: generateName(prefix, call.kernel.random) }) : admitted;
    try {
      return await insertOnce(call, named, dryRun);
    } catch (error) {
      const taken = error instanceof ApiError && error.reason === "AlreadyExists";
      if (!taken) throw error;
      if (attempt === NAME_ATTEMPTS) throw noFreeName(call, metadataOf(named).name ?? "");
    }
  }
}

async function insertOnce(call: Call, object: JsonObject, dryRun: boolean): Promise<Viewed> {
  const { kernel, resource, info } = call;
  const { strategy, schema } = resource;
  if (resource.terminating) {
    throw forbidden(
      resourceName(resource),
      metadataOf(object).name ?? "",
      "create not allowed while custom resource definition is terminating",
    );
  }
  const context = contextOf(call);
  const prepared = prepareCreate(resource, object, generateUid(kernel.random), context);
  const name = metadataOf(prepared).name ?? "";

  checkType(resource, prepared);
  const errors = [
    ...validateMetadata(prepared, resource.scope, strategy.validateName ?? subdomainName),
    ...schema.validate(prepared),
    ...(strategy.validateCreate?.(prepared, context) ?? []),
  ];
  if (errors.length > 0) throw invalid(kindName(resource), name, errors);
  for (const warning of strategy.warningsOnCreate?.(prepared) ?? []) call.warn(warning);
  await validate(kernel.admission, { ...admissionFor(call, "CREATE", dryRun), name, object: prepared });

  const key = keyOf(resource, info.namespace, name);
  if (dryRun) {
    const current = await kernel.store.get(key);
    if (current !== undefined) throw exists(call, name, current.value);
    return { object: await kernel.views.tried(resource, withMetadata(prepared, { resourceVersion: undefined })) };
  }
  const result = await kernel.store.txn(key, 0, await kernel.views.change(resource, prepared));
  if (!result.ok) throw exists(call, name, result.current?.value);
  return kernel.views.written(resource, result);
}

function exists({ resource }: Call, name: string, current: JsonObject | undefined): ApiError {
  const going = current !== undefined && metadataOf(current).deletionTimestamp !== undefined;
  return alreadyExists(resourceName(resource), name, going ? "object is being deleted: " : "");
}

function noFreeName({ resource }: Call, name: string): ApiError {
  const of = resourceName(resource);
  const message = `${qualified(of)} "${name}" already exists, the server was not able to generate a unique name for the object`;
  return new ApiError(409, "AlreadyExists", message, { name, group: of.group || undefined, kind: of.resource, retryAfterSeconds: 1 });
}
