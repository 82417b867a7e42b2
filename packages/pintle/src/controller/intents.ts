import type { JsonObject } from "../kinds/index.ts";
import { digest, equal } from "../merge/index.ts";

/** The digest of what is wanted of a child, by the child's identity. */
export type Intents = (child: string, body: JsonObject) => string;

/** For the looks of one run, which mostly want the same: to compare with the last time is several times cheaper than a digest. */
export function intents(): Intents {
  const last = new Map<string, { readonly body: JsonObject; readonly intent: string }>();
  return (child, body) => {
    const known = last.get(child);
    if (known !== undefined && equal(known.body, body)) return known.intent;
    const intent = digest(body);
    last.set(child, { body, intent });
    return intent;
  };
}
