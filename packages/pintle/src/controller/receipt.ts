import { extended, type JsonObject, type KindFacts, type Metadata } from "../kinds/index.ts";
import { digest } from "../merge/index.ts";
import { RECEIPT } from "./names.ts";

/** What a controller left on an object it applied: enough to know, after a restart, that nothing has to be done. */
export interface Receipt {
  readonly controller: string;
  /** Digest of what was wanted. */
  readonly intent: string;
  /** Digest of what the server made of it; only where that is not simply what was wanted. */
  readonly effect: string | undefined;
}

export function receiptOf(metadata: Pick<Metadata, "annotations">): Receipt | undefined {
  const text = metadata.annotations?.[RECEIPT];
  if (text === undefined) return undefined;
  const [controller = "", intent = "", effect] = text.split(" ");
  return { controller, intent, effect };
}

/** The body that is sent: what is wanted, and its receipt. */
export function withReceipt(body: JsonObject, { controller, intent, effect }: Receipt): JsonObject {
  const metadata = body["metadata"] as JsonObject;
  const text = effect === undefined ? `${controller} ${intent}` : `${controller} ${intent} ${effect}`;
  const annotations = { ...(metadata["annotations"] as JsonObject | undefined), [RECEIPT]: text };
  return { ...body, metadata: extended(metadata, { annotations }) };
}

/** Values of a Secret must not be guessable from an annotation: there, only the keys count. */
export function receiptIntent(kind: KindFacts, body: JsonObject, intent: string): string {
  if (!isSecret(kind)) return intent;
  const { data, ...rest } = body;
  return digest({ ...rest, data: Object.keys((data ?? {}) as JsonObject).sort() });
}

export const isSecret = (kind: KindFacts) => kind.group === "" && kind.kind === "Secret";
