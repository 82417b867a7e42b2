import { quoteGoString } from "pintle/internal/go-format";
import { isJsonEqual } from "pintle/internal/merge";
import type { JsonObject } from "pintle/kinds";
import type { AdmissionPlugin, AdmissionRequest } from "../../api/index.ts";
import { internalError } from "../../status/index.ts";
import type { AdmissionDeps } from "../admission-deps.ts";
import { fromMatchedVersion, type VersionedAttributes } from "../attributes.ts";
import { createMutatingPlugin } from "../hook-plugins.ts";
import { normalizeObject } from "../normalize-object.ts";
import type { ReinvocationContext } from "../reinvocation.ts";
import type { AdmissionResponse } from "./admission-response.ts";
import { callWebhook, createVersionedAttributesCache, matchWebhook } from "./call-webhook.ts";
import { applyPatchOperations, PatchError, parsePatchOperations, UndecodablePatchError } from "./json-patch.ts";
import type { Webhook } from "./webhook.ts";
import { CallingWebhookError } from "./webhook-errors.ts";

/** Plugin that calls mutating webhooks one after the other; those with reinvocationPolicy IfNeeded are called again after later changes. */
export function createMutatingWebhookPlugin(deps: AdmissionDeps, hooks: () => readonly Webhook[]): AdmissionPlugin {
  return createMutatingPlugin("MutatingAdmissionWebhook", hooks, (all, request, rounds) => callAll(deps, all, request, rounds));
}

async function callAll(
  deps: AdmissionDeps,
  hooks: readonly Webhook[],
  request: AdmissionRequest,
  context: ReinvocationContext,
): Promise<JsonObject | undefined> {
  const { reinvocation } = request;
  context.beginPass(reinvocation, request.object);
  let current = request;
  let attributesCache = createVersionedAttributesCache(current);
  for (const hook of hooks) {
    const matched = await matchWebhook(deps, hook, current, attributesCache);
    if (matched === undefined || !context.shouldInvoke(hook.id, reinvocation)) continue;
    const next = await callAndPatch(deps, hook, current, await attributesCache(matched));
    if (next !== undefined) {
      const object = await fromMatchedVersion(request, matched, next);
      if (!isJsonEqual(object, current.object)) {
        context.requireReinvocation();
        reinvocation.requested = true;
      }
      current = { ...request, object };
      attributesCache = createVersionedAttributesCache(current);
    }
    if (hook.reinvocationPolicy === "IfNeeded") context.recordInvocation(hook.id);
  }
  context.endPass(current.object);
  return current.object === request.object ? undefined : current.object;
}

/** Returns the object patched by the webhook; undefined if it is unchanged, or if the call failed and failurePolicy is Ignore. */
async function callAndPatch(
  deps: AdmissionDeps,
  hook: Webhook,
  request: AdmissionRequest,
  attributes: VersionedAttributes,
): Promise<JsonObject | undefined> {
  try {
    return applyWebhookPatch(hook, request, attributes, await callWebhook(deps, hook, request, attributes, true));
  } catch (error) {
    if (!(error instanceof CallingWebhookError)) throw error;
    if (hook.failurePolicy === "Fail") throw error.toApiError;
    return undefined;
  }
}

function applyWebhookPatch(
  hook: Webhook,
  request: AdmissionRequest,
  attributes: VersionedAttributes,
  { patch, patchType }: AdmissionResponse,
): JsonObject | undefined {
  if (patch === "") return undefined;
  try {
    const operations = parsePatchOperations(patch);
    if (operations.length === 0) return undefined;
    if (attributes.object === undefined) {
      const reason = "attempted to modify the object, which is not supported for this operation";
      throw internalError(`admission webhook ${quoteGoString(hook.name)} ${reason}`);
    }
    if (patchType !== "JSONPatch") throw new CallingWebhookError(hook, `unsupported patch type ${quoteGoString(patchType)}`);
    return normalizeObject(request, attributes, applyPatchOperations(attributes.object, operations));
  } catch (error) {
    if (error instanceof UndecodablePatchError)
      throw new CallingWebhookError(hook, `received undecodable patch in webhook response: ${error.message}`);
    throw error instanceof PatchError ? internalError(error.message) : error;
  }
}
