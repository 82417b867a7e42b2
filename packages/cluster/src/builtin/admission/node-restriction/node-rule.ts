import { type AdmissionRequest, type Authorizer, metadataOf } from "../../../api/index.ts";
import type { Store } from "../../../store/index.ts";

/** What a rule knows beside the request. */
export interface Around {
  readonly store: Store;
  readonly authorizer: Authorizer;
}

/** Throws where the node must not do that. */
export type NodeRule = (node: string, request: AdmissionRequest, around: Around) => Promise<void> | void;

/** Of what is asked for, or of what is to be made. */
export function nameOf({ name, object }: AdmissionRequest): string {
  return name || (metadataOf(object ?? {}).name ?? "");
}
