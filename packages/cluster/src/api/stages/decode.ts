import { isJsonObject } from "pintle/internal/json";
import type { Json } from "pintle/kinds";
import { getJsonTypeName } from "../../schema/decode/index.ts";
import { badRequest } from "../../status/index.ts";
import { decodeObjectBody } from "../decode/decode-object.ts";
import { APPLY_PATCH, JSON_PATCH, MERGE_PATCH, parsePatchType } from "../decode/patch-type.ts";
import { type DecodedBody, decodeDeleteBody, decodePatchBody } from "../decode/request-body.ts";
import { getMetadata, withMetadata } from "../metadata/object-meta.ts";
import { dedupeOwnerReferences } from "../metadata/owner-references.ts";
import { parseDeleteOptions } from "../options/delete-options.ts";
import { parseListOptions } from "../options/list-options.ts";
import { parseWriteOptions } from "../options/write-options.ts";
import { checkNameMatchesUrl, ensureNamespace } from "../request/object-identity.ts";
import type { RequestContext } from "../request-context.ts";
import { createScaleView, decodeScale, decodeScaleBody } from "../strategy/scale.ts";

/**
 * Parses the options and the body of a write into an object of the served kind: of the right type, pruned to the fields of its
 * schema, with the name and namespace of the URL. A patch is only parsed. Throws 400, 415 or 422. Reads `request`, `body`, `bodyResource`, `info`;
 * writes `sentObject`, `writeOptions`, `requestedObject`, `object`, `uidPrecondition`, `createIfMissing`, `subresourceView`, `patchType`, `patchBody`
 * or `deleteOptions`, `listOptions`.
 */
export async function decode(context: RequestContext): Promise<RequestContext> {
  if (context.subresource?.type === "scale") context.subresourceView = createScaleView(context.subresource);
  switch (context.operation) {
    case "create":
    case "review":
      await decodeCreate(context);
      break;
    case "update":
      await (context.subresource?.type === "scale" ? decodeScaleUpdate(context) : decodeUpdate(context));
      break;
    case "patch":
      await decodePatch(context);
      break;
    case "action":
      await decodeAction(context);
      break;
    default:
      if (context.operation === "deletecollection") context.listOptions = parseListOptions(context.request.query, false, context.server);
      await decodeDelete(context);
  }
  return context;
}

async function decodeDelete(context: RequestContext): Promise<void> {
  const body = await decodeDeleteBody(context);
  context.sentObject = body as Json | undefined;
  context.deleteOptions = parseDeleteOptions(context.request.query, body);
}

async function decodeCreate(context: RequestContext): Promise<void> {
  const { request, operation } = context;
  context.writeOptions = parseWriteOptions("CreateOptions", request.query, request.headers);
  const cleared = withMetadata(await decodeObjectBody(context), {
    creationTimestamp: undefined,
    uid: undefined,
    deletionTimestamp: undefined,
    deletionGracePeriodSeconds: undefined,
    selfLink: undefined,
  });
  const placed = ensureNamespace(context, cleared);
  context.requestedObject = operation === "review" ? placed : removeDuplicateOwners(context, placed);
  context.object = context.requestedObject;
}

async function decodeUpdate(context: RequestContext): Promise<void> {
  const { request, resource, info } = context;
  context.writeOptions = parseWriteOptions("UpdateOptions", request.query, request.headers);
  const object = ensureNamespace(context, await decodeObjectBody(context));
  checkNameMatchesUrl(context, object);
  context.requestedObject = removeDuplicateOwners(context, object);
  context.uidPrecondition = getMetadata(object).uid;
  context.createIfMissing = resource.strategy.allowCreateOnUpdate && info.subresource === "";
}

function removeDuplicateOwners(context: RequestContext, object: RequestContext["object"]): RequestContext["object"] {
  const { object: deduped, warning } = dedupeOwnerReferences(object, false);
  if (warning !== undefined) context.warn(warning);
  return deduped;
}

async function decodeScaleUpdate(context: RequestContext): Promise<void> {
  const { request } = context;
  context.writeOptions = parseWriteOptions("UpdateOptions", request.query, request.headers);
  context.requestedObject = await decodeScaleBody(context);
  context.sentObject = context.requestedObject;
  checkNameMatchesUrl(context, context.requestedObject);
  context.uidPrecondition = getMetadata(context.requestedObject).uid;
}

async function decodePatch(context: RequestContext): Promise<void> {
  const { request, resource, info, subresource } = context;
  const type = parsePatchType(request, resource);
  context.patchType = type;
  context.writeOptions = parseWriteOptions("PatchOptions", request.query, request.headers, type === APPLY_PATCH);
  const body = await decodePatchBody(context);
  context.sentObject = body.value as Json | undefined;
  if (subresource?.type !== "scale") context.patchBody = checkPatchBody(type, body);
  else {
    context.patchBody = body;
    if (type === APPLY_PATCH) context.requestedObject = decodeScale(body.value);
    else checkPatchBody(type, body);
  }
  context.createIfMissing = type === APPLY_PATCH && info.subresource === "";
}

async function decodeAction(context: RequestContext): Promise<void> {
  const { request, info } = context;
  const kind = info.verb === "create" ? "CreateOptions" : "UpdateOptions";
  context.writeOptions = parseWriteOptions(kind, request.query, request.headers);
  context.requestedObject = ensureNamespace(context, await decodeObjectBody(context));
  context.object = context.requestedObject;
}

const OPERATION_FIELDS = new Set(["op", "path", "from", "value"]);

/** Checks that a patch is an object where it must be one. Throws 400. Returns it with what strict decoding reports about it. */
function checkPatchBody(type: string, body: DecodedBody): DecodedBody {
  const { value, strict } = body;
  if (type === JSON_PATCH)
    return { value, strict: [...strict, ...findUnknownOperationFields(value)].map((problem) => `json patch ${problem}`) };
  if (type === MERGE_PATCH || isJsonObject(value ?? {})) return body;
  const problem = `json: cannot unmarshal ${getJsonTypeName(value as Json)} into Go value of type map[string]interface {}`;
  throw badRequest(type === APPLY_PATCH ? `error decoding YAML: error unmarshaling JSON: while decoding JSON: ${problem}` : problem);
}

function findUnknownOperationFields(value: unknown): readonly string[] {
  const operations = Array.isArray(value) ? value.filter(isJsonObject) : [];
  return operations.flatMap((operation, index) =>
    Object.keys(operation)
      .filter((field) => !OPERATION_FIELDS.has(field))
      .map((field) => `unknown field "[${index}].${field}"`),
  );
}
