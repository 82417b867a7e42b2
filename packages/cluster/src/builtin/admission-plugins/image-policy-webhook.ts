import { backgroundClock, type Clock } from "pintle/internal/clock";
import type { Pod } from "pintle/kinds/core/v1";
import type { AdmissionPlugin, AdmissionRequest } from "../../api/index.ts";
import type { Unvalidated } from "../draft.ts";
import { createForbiddenError } from "./resource-plugin.ts";

/** The ImagePolicyWebhook plugin: a backend that decides about the images of pods. */
export interface ImagePolicyOptions {
  /** Sends an ImageReview of imagepolicy.k8s.io/v1alpha1; resolves with the response body. Rejects if the backend does not respond with 2xx. */
  postReview(review: object, signal: AbortSignal): Promise<unknown>;
  /** Milliseconds that an approval is remembered. */
  readonly allowTtl: number;
  /** Milliseconds that a denial is remembered. */
  readonly denyTtl: number;
  /** Milliseconds before the first retry. */
  readonly retryBackoff: number;
  /** Whether pods are admitted while the backend fails. */
  readonly defaultAllow: boolean;
}

interface ImageReviewStatus {
  readonly allowed?: boolean | undefined;
  readonly reason?: string | undefined;
  readonly auditAnnotations?: Readonly<Record<string, string>> | undefined;
}

const ANNOTATION_DOMAIN = ".image-policy.k8s.io/";
const AUDIT_PREFIX = "imagepolicywebhook.image-policy.k8s.io/";
const MAX_CACHED = 1024;
const ATTEMPTS = 5;
const BACKOFF_FACTOR = 1.5;

export function createImagePolicyWebhookPlugin(options: ImagePolicyOptions, clock: Clock): AdmissionPlugin {
  const decisions = new Map<string, { readonly status: ImageReviewStatus; readonly until: number }>();

  const review = async (spec: object, signal: AbortSignal): Promise<ImageReviewStatus> => {
    const key = JSON.stringify(spec);
    const known = decisions.get(key);
    if (known !== undefined && known.until > clock.now()) return known.status;
    const body = { apiVersion: "imagepolicy.k8s.io/v1alpha1", kind: "ImageReview", metadata: {}, spec, status: { allowed: false } };
    const { status = {} } = (await postWithRetries(body, signal)) as { readonly status?: ImageReviewStatus };
    decisions.delete(key);
    decisions.set(key, { status, until: clock.now() + (status.allowed === true ? options.allowTtl : options.denyTtl) });
    if (decisions.size > MAX_CACHED) decisions.delete(decisions.keys().next().value as string);
    return status;
  };
  const postWithRetries = async (body: object, signal: AbortSignal): Promise<unknown> => {
    for (let attempt = 1, backoff = options.retryBackoff; ; attempt++, backoff *= BACKOFF_FACTOR) {
      try {
        return await options.postReview(body, signal);
      } catch (error) {
        if (attempt === ATTEMPTS || signal.aborted) throw error;
        // In real time, whatever the cluster's clock is: the backend is another program.
        await backgroundClock.sleep(backoff, signal).catch(() => {});
      }
    }
  };
  const check = async (request: AdmissionRequest): Promise<void> => {
    let status: ImageReviewStatus;
    try {
      status = await review(buildReviewSpec(request), request.signal());
    } catch (error) {
      if (!options.defaultAllow) throw createForbiddenError(request, error instanceof Error ? error.message : String(error));
      request.addAuditAnnotation(`${AUDIT_PREFIX}failed-open`, "true");
      return;
    }
    for (const [key, value] of Object.entries(status.auditAnnotations ?? {})) request.addAuditAnnotation(`${AUDIT_PREFIX}${key}`, value);
    if (status.allowed === true) return;
    const why = status.reason ? `image policy webhook backend denied one or more images: ${status.reason}` : undefined;
    throw createForbiddenError(request, why ?? "one or more images rejected by webhook backend");
  };
  return {
    name: "ImagePolicyWebhook",
    validate(request) {
      const { resource, subresource, operation, object } = request;
      const applies = resource.group === "" && resource.plural === "pods" && (subresource === "" || subresource === "ephemeralcontainers");
      return applies && object !== undefined && (operation === "CREATE" || operation === "UPDATE") ? check(request) : undefined;
    },
  };
}

/** Empty fields are left out, as kube-apiserver does. */
function buildReviewSpec({ object, namespace, subresource }: AdmissionRequest): object {
  const { metadata, spec } = object as Unvalidated<Pod>;
  const reviewed = subresource === "" ? [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])] : (spec?.ephemeralContainers ?? []);
  const containers = reviewed.map(({ image }) => ({ ...(image ? { image } : {}) }));
  const annotations = Object.entries(metadata?.annotations ?? {}).filter(([key]) => key.includes(ANNOTATION_DOMAIN));
  return {
    ...(containers.length === 0 ? {} : { containers }),
    ...(annotations.length === 0 ? {} : { annotations: Object.fromEntries(annotations) }),
    ...(namespace === "" ? {} : { namespace }),
  };
}
