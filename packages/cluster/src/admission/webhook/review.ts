import type { Json, JsonObject } from "pintle/kinds";
import type { AdmissionRequest, GroupVersionKind, ServedResource } from "../../api/index.ts";
import { namespaceOf, type Versioned } from "../attributes.ts";

/** The AdmissionRequest of a review without uid and objects: what expressions see of it too. */
export function requestFacts(request: AdmissionRequest, { resource, kind }: Pick<Versioned, "resource" | "kind">): JsonObject {
  const { subresource, name, operation, user, dryRun } = request;
  const namespace = namespaceOf(request);
  const options = request.options();
  return {
    kind: kindFacts(kind),
    resource: resourceFacts(resource),
    ...(subresource === "" ? {} : { subResource: subresource }),
    requestKind: kindFacts(request.kind),
    requestResource: resourceFacts(request.resource),
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

const kindFacts = ({ group, version, kind }: GroupVersionKind): JsonObject => ({ group, version, kind });
const resourceFacts = ({ group, version, plural }: ServedResource): JsonObject => ({ group, version, resource: plural });

/** The first version of reviews that a webhook reads and that there is. */
export function reviewVersion(versions: readonly string[]): "v1" | "v1beta1" | undefined {
  return versions.find((version): version is "v1" | "v1beta1" => version === "v1" || version === "v1beta1");
}

/** The AdmissionReview that is sent. */
export function review(version: string, uid: string, request: AdmissionRequest, seen: Versioned): JsonObject {
  const { options, dryRun, ...facts } = requestFacts(request, seen);
  return {
    kind: "AdmissionReview",
    apiVersion: `admission.k8s.io/${version}`,
    request: { uid, ...facts, object: seen.object ?? null, oldObject: seen.live ?? null, dryRun, options },
  };
}
