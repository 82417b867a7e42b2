import type { JsonObject } from "pintle/kinds";
import type { AdmissionRequest, GroupVersionKind, ServedResource } from "../api/index.ts";

/** Returns the namespace of a request; a Namespace counts as namespaced in itself. */
export function getRequestNamespace({ resource, name, namespace }: AdmissionRequest): string {
  return resource.group === "" && resource.plural === "namespaces" ? name : namespace;
}

/** The resource version in which a webhook or policy sees a request. */
export interface MatchedResource {
  readonly resource: ServedResource;
  readonly kind: GroupVersionKind;
}

/** Both objects of a request in one version. */
export interface VersionedAttributes extends MatchedResource {
  readonly object: JsonObject | undefined;
  readonly live: JsonObject | undefined;
}

/** Converts the objects of a request to the matched version. Throws conversion errors. */
export async function toVersionedAttributes(request: AdmissionRequest, { resource, kind }: MatchedResource): Promise<VersionedAttributes> {
  const { object, live } = request;
  if (isSameKind(kind, request.kind)) return { resource, kind, object, live };
  const convertObject = (each: JsonObject | undefined) => each && request.lookup.convert(each, request.resource, resource);
  const [newer, older] = await Promise.all([convertObject(object), convertObject(live)]);
  return { resource, kind, object: newer, live: older };
}

/** Converts an object from the matched version back to the version of the request. */
export async function fromMatchedVersion(
  request: AdmissionRequest,
  { resource, kind }: MatchedResource,
  object: JsonObject,
): Promise<JsonObject> {
  return isSameKind(kind, request.kind) ? object : request.lookup.convert(object, resource, request.resource);
}

export function isSameKind(a: GroupVersionKind, b: GroupVersionKind): boolean {
  return a.kind === b.kind && a.version === b.version && a.group === b.group;
}

/** Returns the matched resource of a request taken as one for `resource`; a subresource may have a kind of its own. */
export function toMatchedResource(request: AdmissionRequest, resource: ServedResource): MatchedResource {
  return { resource, kind: request.kind.kind === request.resource.kind ? resource : request.kind };
}
