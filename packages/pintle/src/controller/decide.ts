import type { JsonObject, KindFacts, Metadata } from "../kinds/index.ts";
import { covers, digest, project } from "../merge/index.ts";
import { OWNER_LABEL, subject } from "./names.ts";
import { isSecret, receiptIntent, receiptOf } from "./receipt.ts";

/** An object as it is; of a metadata-only kind, without the rest. */
export type Live = JsonObject & { readonly metadata: Metadata };

/** What this process last saw of an object it applied. Lost on restart; nothing but speed depends on it. */
export interface Memory {
  readonly intent: string;
  readonly effect: string;
  readonly resourceVersion: string;
}
/** By uid. */
export type Memories = ReadonlyMap<string, Memory>;

export type Decision =
  | { readonly step: "skip"; readonly why: string; readonly remember?: Memory | undefined }
  | { readonly step: "apply"; readonly why: string }
  | { readonly step: "refuse"; readonly why: string };

export interface Question {
  readonly kind: KindFacts;
  /** The whole body that is wanted, owner reference in, receipt not. */
  readonly body: JsonObject;
  readonly live: Live | undefined;
  readonly controller: string;
  /** Whose child it is to be. */
  readonly owner: string;
  readonly memories: Memories;
}

/** May this child be left alone? Pure, and sends nothing. */
export function decide({ kind, body, live, controller, owner, memories }: Question): Decision {
  if (live === undefined) return { step: "apply", why: "missing" };
  const { uid, resourceVersion } = live.metadata;
  const stranger = strangerOf(live.metadata, owner);
  if (stranger !== undefined) return { step: "refuse", why: `${subject(kind, live.metadata)} is controlled by ${stranger}` };
  const intent = digest(body);
  const known = memories.get(uid);
  if (known?.intent === intent && known.resourceVersion === resourceVersion) return { step: "skip", why: "unchanged" };
  const receipt = receiptOf(live.metadata);
  if (receipt?.controller !== controller)
    return { step: "apply", why: receipt === undefined ? "not ours yet" : `taken over from ${receipt.controller}` };
  if (receipt.intent !== receiptIntent(kind, body, intent)) return { step: "apply", why: "wanted differently now" };
  if (kind.metadataOnly === true) return { step: "apply", why: "only its metadata is watched" };
  const effect = digest(project(body, live, kind.shape));
  const settled =
    known?.intent === intent
      ? known.effect === effect
      : receipt.effect !== undefined && !isSecret(kind)
        ? receipt.effect === effect
        : covers(body, live, kind.shape);
  if (!settled) return { step: "apply", why: "changed by someone else" };
  return { step: "skip", why: "settled", remember: { intent, effect, resourceVersion } };
}

/** Who else claims to control it. */
function strangerOf({ ownerReferences, labels }: Metadata, owner: string): string | undefined {
  const controlling = ownerReferences?.find((reference) => reference.controller === true);
  if (controlling !== undefined && controlling.uid !== owner) return `${controlling.kind} ${controlling.name} (uid ${controlling.uid})`;
  const label = labels?.[OWNER_LABEL];
  return label !== undefined && label !== owner ? `the object with uid ${label} (label ${OWNER_LABEL})` : undefined;
}
