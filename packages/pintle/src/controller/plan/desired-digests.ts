import type { JsonObject } from "../../json/index.ts";
import { digest, isJsonEqual } from "../../merge/index.ts";

/** Returns the digest of a desired body, given the identity of the child. */
export type DesiredDigests = (child: string, body: JsonObject) => string;

/** Creates the digests for the passes of one reconciliation. Passes mostly repeat the same bodies, and comparing is several times cheaper than hashing. */
export function createDesiredDigests(): DesiredDigests {
  const last = new Map<string, { readonly body: JsonObject; readonly intent: string }>();
  return (child, body) => {
    const known = last.get(child);
    if (known !== undefined && isJsonEqual(known.body, body)) return known.intent;
    const intent = digest(body);
    last.set(child, { body, intent });
    return intent;
  };
}
