import type { JsonObject } from "pintle/kinds";
import type { AdmissionRequest } from "../../api/index.ts";
import type { ObjectStore } from "../../store/index.ts";
import { getRequestNamespace } from "../attributes.ts";

/** Returns the Namespace of the request without managedFields and ownerReferences; undefined for cluster-scoped requests. */
export async function getNamespaceObject(store: ObjectStore, request: AdmissionRequest): Promise<JsonObject | undefined> {
  const name = request.kind.group === "" && request.kind.kind === "Namespace" ? "" : getRequestNamespace(request);
  if (name === "") return undefined;
  const entry = await store.get(`/registry/namespaces/${name}`);
  if (entry === undefined) return undefined;
  const { metadata, spec, status } = entry.value;
  const { managedFields: _fields, ownerReferences: _owners, ...rest } = metadata as JsonObject;
  return { metadata: rest, ...(spec === undefined ? {} : { spec }), ...(status === undefined ? {} : { status }) };
}
