import type { JsonObject, KindFacts, Metadata } from "../kinds/index.ts";
import { covers, digest, equal, project } from "../merge/index.ts";
import { OWNER_LABEL, subject } from "./names.ts";
import { isSecret, receiptIntent, receiptOf } from "./receipt.ts";

/** An object as it is; of a metadata-only kind, without the rest. */
export type Live = JsonObject & { readonly metadata: Metadata };

/** The state in which this process last saw an object that was as wanted. Lost on restart; nothing but speed depends on it. */
export interface Memory {
  readonly intent: string;
  readonly settled: Live;
}
/** By uid. */
export type Memories = ReadonlyMap<string, Memory>;

export type Decision =
  | { readonly step: "skip"; readonly why: string; readonly remember?: Memory | undefined }
  /** `intent`: the digest of what is wanted. */
  | { readonly step: "apply"; readonly why: string; readonly intent: string }
  | { readonly step: "refuse"; readonly why: string };

export interface Question {
  readonly kind: KindFacts;
  /** The whole body that is wanted, owner reference in, receipt not. */
  readonly body: JsonObject;
  /** Its digest. */
  readonly intent: string;
  readonly live: Live | undefined;
  readonly controller: string;
  /** Whose child it is to be. */
  readonly owner: string;
  readonly memories: Memories;
}

/** May this child be left alone? Pure, and sends nothing. */
export function decide({ kind, body, intent, live, controller, owner, memories }: Question): Decision {
  const apply = (why: string): Decision => ({ step: "apply", why, intent });
  if (live === undefined) return apply("missing");
  const stranger = strangerOf(live.metadata, owner);
  if (stranger !== undefined) return { step: "refuse", why: `${subject(kind, live.metadata)} is controlled by ${stranger}` };
  const last = memories.get(live.metadata.uid);
  const known = last?.intent === intent ? last.settled : undefined;
  if (known?.metadata.resourceVersion === live.metadata.resourceVersion) return { step: "skip", why: "unchanged" };
  const receipt = receiptOf(live.metadata);
  if (receipt?.controller !== controller) return apply(receipt === undefined ? "not ours yet" : `taken over from ${receipt.controller}`);
  if (receipt.intent !== receiptIntent(kind, body, intent)) return apply("wanted differently now");
  if (kind.metadataOnly === true) return apply("only its metadata is watched");
  if (!isSettled(kind, body, live, known, isSecret(kind) ? undefined : receipt.effect)) return apply("changed by someone else");
  return { step: "skip", why: "settled", remember: { intent, settled: live } };
}

/** Compared with what was once known to be right: best what we saw ourselves, else what the receipt says, else what is wanted. */
function isSettled(kind: KindFacts, body: JsonObject, live: Live, known: Live | undefined, effect: string | undefined): boolean {
  if (known !== undefined) return equal(project(body, known, kind.shape), project(body, live, kind.shape));
  if (effect !== undefined) return effect === digest(project(body, live, kind.shape));
  return covers(body, live, kind.shape);
}

/** Who else claims to control it. */
function strangerOf({ ownerReferences, labels }: Metadata, owner: string): string | undefined {
  const controlling = ownerReferences?.find((reference) => reference.controller === true);
  if (controlling !== undefined && controlling.uid !== owner) return `${controlling.kind} ${controlling.name} (uid ${controlling.uid})`;
  const label = labels?.[OWNER_LABEL];
  return label !== undefined && label !== owner ? `the object with uid ${label} (label ${OWNER_LABEL})` : undefined;
}
