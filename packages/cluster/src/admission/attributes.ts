import type { JsonObject } from "pintle/kinds";
import type { AdmissionRequest, GroupVersionKind, ServedResource } from "../api/index.ts";

/** To admission, a namespace is in itself. */
export function namespaceOf({ resource, name, namespace }: AdmissionRequest): string {
  return resource.group === "" && resource.plural === "namespaces" ? name : namespace;
}

/** As what a webhook or policy sees a request: the version that one of its rules names. */
export interface Seen {
  readonly resource: ServedResource;
  readonly kind: GroupVersionKind;
}

/** Both objects of a request in one version. */
export interface Versioned extends Seen {
  readonly object: JsonObject | undefined;
  readonly live: JsonObject | undefined;
}

/** The request's own objects, as they are seen. Throws what the conversion says. */
export async function versioned(request: AdmissionRequest, { resource, kind }: Seen): Promise<Versioned> {
  const { object, live } = request;
  if (isSame(kind, request.kind)) return { resource, kind, object, live };
  const to = (each: JsonObject | undefined) => each && request.lookup.convert(each, request.resource, resource);
  const [newer, older] = await Promise.all([to(object), to(live)]);
  return { resource, kind, object: newer, live: older };
}

/** What was made of an object as it is seen, as an object of the request again. */
export async function unversioned(request: AdmissionRequest, { resource, kind }: Seen, object: JsonObject): Promise<JsonObject> {
  return isSame(kind, request.kind) ? object : request.lookup.convert(object, resource, request.resource);
}

export function isSame(a: GroupVersionKind, b: GroupVersionKind): boolean {
  return a.kind === b.kind && a.version === b.version && a.group === b.group;
}

/** As what a request is seen that is taken for one for `resource`: parts may be of a kind of their own. */
export function seenAs(request: AdmissionRequest, resource: ServedResource): Seen {
  return { resource, kind: request.kind.kind === request.resource.kind ? resource : request.kind };
}
