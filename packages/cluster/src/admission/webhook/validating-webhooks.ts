import type { AdmissionPlugin, AdmissionRequest } from "../../api/index.ts";
import type { AdmissionDeps } from "../admission-deps.ts";
import type { VersionedAttributes } from "../attributes.ts";
import { createValidatingPlugin } from "../hook-plugins.ts";
import { callWebhook, createVersionedAttributesCache, matchWebhook } from "./call-webhook.ts";
import type { Webhook } from "./webhook.ts";
import { CallingWebhookError } from "./webhook-errors.ts";

/** Plugin that calls validating webhooks concurrently; the first denial in configuration order is returned. */
export function createValidatingWebhookPlugin(deps: AdmissionDeps, hooks: () => readonly Webhook[]): AdmissionPlugin {
  return createValidatingPlugin("ValidatingAdmissionWebhook", hooks, (all, request) => callAll(deps, all, request));
}

async function callAll(deps: AdmissionDeps, hooks: readonly Webhook[], request: AdmissionRequest): Promise<void> {
  const attributesCache = createVersionedAttributesCache(request);
  const matching: { readonly hook: Webhook; readonly attributes: VersionedAttributes }[] = [];
  for (const hook of hooks) {
    const matched = await matchWebhook(deps, hook, request, attributesCache);
    if (matched !== undefined) matching.push({ hook, attributes: await attributesCache(matched) });
  }
  const errors = await Promise.all(matching.map(({ hook, attributes }) => callAndCollectError(deps, hook, request, attributes)));
  const first = errors.find((each) => each !== undefined);
  if (first !== undefined) throw first;
}

async function callAndCollectError(
  deps: AdmissionDeps,
  hook: Webhook,
  request: AdmissionRequest,
  attributes: VersionedAttributes,
): Promise<unknown> {
  try {
    await callWebhook(deps, hook, request, attributes, false);
    return undefined;
  } catch (error) {
    if (!(error instanceof CallingWebhookError)) return error;
    return hook.failurePolicy === "Ignore" ? undefined : error.toApiError;
  }
}
