import { type AdmissionRequest, generateUid } from "../../api/index.ts";
import { ApiError, aggregateErrors, forbidden, internalError } from "../../status/index.ts";
import type { AdmissionDeps } from "../admission-deps.ts";
import { type MatchedResource, toVersionedAttributes, type VersionedAttributes } from "../attributes.ts";
import { matchRequest } from "../matching/match-request.ts";
import { WebhookTransportError } from "../webhook-client/transport-error.ts";
import { type AdmissionResponse, InvalidResponseError, parseAdmissionResponse, UndecodableResponseError } from "./admission-response.ts";
import { buildAdmissionRequest, buildAdmissionReview, selectReviewVersion } from "./admission-review.ts";
import type { Webhook } from "./webhook.ts";
import { CallingWebhookError, dryRunNotSupported, webhookDenied } from "./webhook-errors.ts";

const DRY_RUN_SIDE_EFFECTS = new Set(["None", "NoneOnDryRun"]);

/**
 * Returns the resource version in which the webhook sees the request; undefined if the webhook does not match. Throws if a match
 * condition fails.
 */
export async function matchWebhook(
  deps: AdmissionDeps,
  hook: Webhook,
  request: AdmissionRequest,
  attributesCache: VersionedAttributesCache,
): Promise<MatchedResource | undefined> {
  const matched = await matchRequest(deps.store, hook, request);
  if (matched === undefined || hook.matchConditions === undefined) return matched;
  const objects = await attributesCache(matched);
  const { user } = request;
  const found = hook.matchConditions.evaluate({
    ...objects,
    facts: buildAdmissionRequest(request, matched),
    authorizer: deps.authorizer,
    user,
  });
  if (found.type === "failed") {
    const { group, plural } = request.resource;
    throw forbidden({ group, resource: plural }, request.name, aggregateErrors(found.errors));
  }
  return found.type === "met" ? matched : undefined;
}

/** Converts the objects of a request to the version that a webhook matches, once per version. */
export type VersionedAttributesCache = (matched: MatchedResource) => Promise<VersionedAttributes>;

export function createVersionedAttributesCache(request: AdmissionRequest): VersionedAttributesCache {
  const known = new Map<string, Promise<VersionedAttributes>>();
  return (matched) => {
    const id = `${matched.kind.group}/${matched.kind.version}/${matched.kind.kind}`;
    const found = known.get(id) ?? convertOrInternalError(request, matched);
    known.set(id, found);
    return found;
  };
}

async function convertOrInternalError(request: AdmissionRequest, matched: MatchedResource): Promise<VersionedAttributes> {
  try {
    return await toVersionedAttributes(request, matched);
  } catch (error) {
    throw internalError(error instanceof ApiError ? error.message : String(error));
  }
}

/** Calls a webhook. Throws `CallingWebhookError` if the call fails, `ApiError` if the webhook denies the request. */
export async function callWebhook(
  deps: AdmissionDeps,
  hook: Webhook,
  request: AdmissionRequest,
  attributes: VersionedAttributes,
  mutating: boolean,
): Promise<AdmissionResponse> {
  const startedAt = performance.now();
  const record = (code: number) =>
    deps.recordWebhook?.(hook.name, mutating ? "admit" : "validating", {
      operation: request.operation,
      seconds: (performance.now() - startedAt) / 1000,
      rejected: code !== 200,
      code,
      auditId: request.auditId,
    });
  try {
    const response = await requestReview(deps, hook, request, attributes, mutating);
    record(200);
    return response;
  } catch (error) {
    record(error instanceof ApiError ? error.code : 0);
    throw error;
  }
}

async function requestReview(
  deps: AdmissionDeps,
  hook: Webhook,
  request: AdmissionRequest,
  attributes: VersionedAttributes,
  mutating: boolean,
): Promise<AdmissionResponse> {
  if (request.dryRun && !DRY_RUN_SIDE_EFFECTS.has(hook.sideEffects)) throw dryRunNotSupported(hook);
  const version = selectReviewVersion(hook.reviewVersions);
  if (version === undefined) {
    const reason = "could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)";
    throw new CallingWebhookError(hook, reason);
  }
  const uid = generateUid(deps.jitter);
  const response = await postReview(deps, hook, request, attributes, { version, uid, mutating });
  for (const text of response.warnings) request.warn(text);
  for (const [key, value] of Object.entries(response.annotations)) request.addAuditAnnotation(`${hook.name}/${key}`, value);
  if (!response.allowed) throw webhookDenied(hook, response.result);
  return response;
}

interface ReviewParameters {
  readonly version: "v1" | "v1beta1";
  readonly uid: string;
  readonly mutating: boolean;
}

async function postReview(
  { webhookClient }: AdmissionDeps,
  hook: Webhook,
  request: AdmissionRequest,
  attributes: VersionedAttributes,
  parameters: ReviewParameters,
): Promise<AdmissionResponse> {
  const { version, uid, mutating } = parameters;
  try {
    const body = buildAdmissionReview(version, uid, request, attributes);
    return parseAdmissionResponse(
      await webhookClient.post(hook.name, hook.clientConfig, body, hook.timeoutSeconds, request.signal(), request.traceparent),
      version,
      uid,
      mutating,
    );
  } catch (error) {
    if (error instanceof WebhookTransportError || error instanceof UndecodableResponseError)
      throw new CallingWebhookError(hook, `failed to call webhook: ${error.message}`);
    if (error instanceof InvalidResponseError) throw new CallingWebhookError(hook, `received invalid webhook response: ${error.message}`);
    throw error;
  }
}
