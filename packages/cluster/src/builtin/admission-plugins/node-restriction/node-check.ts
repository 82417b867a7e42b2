import { type AdmissionRequest, type Authorizer, getMetadata } from "../../../api/index.ts";
import type { ObjectStore } from "../../../store/index.ts";

/** Dependencies of the NodeRestriction checks. */
export interface NodeRestrictionDeps {
  readonly store: ObjectStore;
  readonly authorizer: Authorizer;
}

/** Throws if the node must not make the request. */
export type NodeRestrictionCheck = (node: string, request: AdmissionRequest, around: NodeRestrictionDeps) => Promise<void> | void;

/** Returns the name of the requested object, or that of the object to be created. */
export function getRequestName({ name, object }: AdmissionRequest): string {
  return name || (getMetadata(object ?? {}).name ?? "");
}
