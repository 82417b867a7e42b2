import type { JsonObject } from "pintle/kinds";
import type { AdmissionRequest } from "../../api/index.ts";
import type { Store } from "../../store/index.ts";
import { namespaceOf } from "../attributes.ts";

/** The namespace of what is not a namespace itself, without what nobody should depend on. */
export async function namespaceObject(store: Store, request: AdmissionRequest): Promise<JsonObject | undefined> {
  const name = request.kind.group === "" && request.kind.kind === "Namespace" ? "" : namespaceOf(request);
  if (name === "") return undefined;
  const entry = await store.get(`/registry/namespaces/${name}`);
  if (entry === undefined) return undefined;
  const { metadata, spec, status } = entry.value;
  const { managedFields: _fields, ownerReferences: _owners, ...rest } = metadata as JsonObject;
  return { metadata: rest, ...(spec === undefined ? {} : { spec }), ...(status === undefined ? {} : { status }) };
}
