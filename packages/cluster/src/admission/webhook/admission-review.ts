import type { Json, JsonObject } from "pintle/kinds";
import type { AdmissionRequest, GroupVersionKind, ServedResource } from "../../api/index.ts";
import { getRequestNamespace, type VersionedAttributes } from "../attributes.ts";

/** Builds the AdmissionRequest of a review without uid and objects; CEL expressions see it as `request`. */
export function buildAdmissionRequest(
  request: AdmissionRequest,
  { resource, kind }: Pick<VersionedAttributes, "resource" | "kind">,
): JsonObject {
  const { subresource, name, operation, user, dryRun } = request;
  const namespace = getRequestNamespace(request);
  const options = request.options();
  return {
    kind: toKindJson(kind),
    resource: toResourceJson(resource),
    ...(subresource === "" ? {} : { subResource: subresource }),
    requestKind: toKindJson(request.kind),
    requestResource: toResourceJson(request.resource),
    ...(subresource === "" ? {} : { requestSubResource: subresource }),
    ...(name === "" ? {} : { name }),
    ...(namespace === "" ? {} : { namespace }),
    operation,
    userInfo: {
      ...(user.name === "" ? {} : { username: user.name }),
      ...(user.uid === undefined || user.uid === "" ? {} : { uid: user.uid }),
      ...(user.groups.length === 0 ? {} : { groups: user.groups }),
      ...(Object.keys(user.extra ?? {}).length === 0 ? {} : { extra: user.extra as JsonObject }),
    },
    dryRun,
    options: (options ?? null) as Json,
  };
}

const toKindJson = ({ group, version, kind }: GroupVersionKind): JsonObject => ({ group, version, kind });
const toResourceJson = ({ group, version, plural }: ServedResource): JsonObject => ({ group, version, resource: plural });

/** Returns the first supported AdmissionReview version of a webhook. */
export function selectReviewVersion(versions: readonly string[]): "v1" | "v1beta1" | undefined {
  return versions.find((version): version is "v1" | "v1beta1" => version === "v1" || version === "v1beta1");
}

/** Builds the AdmissionReview to send. */
export function buildAdmissionReview(version: string, uid: string, request: AdmissionRequest, attributes: VersionedAttributes): JsonObject {
  const { options, dryRun, ...fields } = buildAdmissionRequest(request, attributes);
  return {
    kind: "AdmissionReview",
    apiVersion: `admission.k8s.io/${version}`,
    request: { uid, ...fields, object: attributes.object ?? null, oldObject: attributes.live ?? null, dryRun, options },
  };
}
