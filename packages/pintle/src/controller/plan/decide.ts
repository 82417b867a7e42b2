import type { JsonObject } from "../../json/index.ts";
import type { KindInfo, Metadata } from "../../kinds/index.ts";
import { digest, isJsonEqual, isSatisfiedBy, selectDesiredFields } from "../../merge/index.ts";
import { formatObject, KEEP_ANNOTATION, OWNER_NAME_ANNOTATION, OWNER_UID_LABEL } from "../names.ts";
import { digestForRecord, isSecret, readLastApplied } from "./last-applied.ts";

/** An object from the cache or a response, untyped; only metadata for a metadata-only kind. */
export type LiveJsonObject = JsonObject & { readonly metadata: Metadata };

/** The last object that this process knows to match a desired digest. Lost on restart; only speed depends on it. */
export interface SettledSnapshot {
  readonly desiredDigest: string;
  readonly object: LiveJsonObject;
}
/** Snapshots by uid. */
export type SettledSnapshots = ReadonlyMap<string, SettledSnapshot>;

/** What to do about one child. */
export type Decision =
  | { readonly step: "skip"; readonly reason: string; readonly snapshot?: SettledSnapshot | undefined }
  | { readonly step: "apply"; readonly reason: string; readonly desiredDigest: string; readonly isRepair: boolean }
  | { readonly step: "refuse"; readonly reason: string };

export interface DecisionInput {
  readonly kind: KindInfo;
  /** The desired body with its owner reference, without the last-applied record. */
  readonly body: JsonObject;
  /** The digest of the body. */
  readonly desiredDigest: string;
  readonly live: LiveJsonObject | undefined;
  readonly controller: string;
  /** The uid of the owner. */
  readonly ownerUid: string;
  readonly settledSnapshots: SettledSnapshots;
}

/** Decides whether a child must be applied. Pure: sends no request. */
export function decide({ kind, body, desiredDigest, live, controller, ownerUid, settledSnapshots }: DecisionInput): Decision {
  const apply = (reason: string, isRepair = false): Decision => ({ step: "apply", reason, desiredDigest, isRepair });
  if (live === undefined) return apply("missing");
  const other = isKeptFor(live.metadata, body["metadata"] as unknown as Metadata)
    ? undefined
    : findOtherController(live.metadata, ownerUid);
  if (other !== undefined) return { step: "refuse", reason: `${formatObject(kind, live.metadata)} is controlled by ${other}` };
  const last = settledSnapshots.get(live.metadata.uid);
  const known = last?.desiredDigest === desiredDigest ? last.object : undefined;
  if (known?.metadata.resourceVersion === live.metadata.resourceVersion) return { step: "skip", reason: "unchanged" };
  const record = readLastApplied(live.metadata);
  if (record?.controller !== controller)
    return record === undefined ? apply("not applied yet") : apply(`taken over from ${record.controller}`, true);
  if (record.desiredDigest !== digestForRecord(kind, body, desiredDigest)) return apply("desired state changed");
  if (kind.metadataOnly === true) return apply("only its metadata is watched");
  if (!matchesDesired(kind, body, live, known, isSecret(kind) ? undefined : record.resultDigest))
    return apply("changed by another writer", true);
  return { step: "skip", reason: "up to date", snapshot: { desiredDigest, object: live } };
}

/** Compares the live object with the best known reference: the snapshot, else the result digest of the last-applied record, else the desired body. */
function matchesDesired(
  kind: KindInfo,
  body: JsonObject,
  live: LiveJsonObject,
  known: LiveJsonObject | undefined,
  resultDigest: string | undefined,
): boolean {
  if (known !== undefined) return isJsonEqual(selectDesiredFields(body, known, kind.shape), selectDesiredFields(body, live, kind.shape));
  if (resultDigest !== undefined) return resultDigest === digest(selectDesiredFields(body, live, kind.shape));
  return isSatisfiedBy(body, live, kind.shape);
}

/** Returns whether an object was kept when an earlier owner of the same name was deleted. */
function isKeptFor({ annotations = {} }: Metadata, desired: Metadata): boolean {
  return annotations[KEEP_ANNOTATION] !== undefined && annotations[OWNER_NAME_ANNOTATION] === desired.annotations?.[OWNER_NAME_ANNOTATION];
}

/** Describes another owner that controls the object. */
function findOtherController({ ownerReferences, labels }: Metadata, owner: string): string | undefined {
  const controlling = ownerReferences?.find((reference) => reference.controller === true);
  if (controlling !== undefined && controlling.uid !== owner) return `${controlling.kind} ${controlling.name} (uid ${controlling.uid})`;
  const label = labels?.[OWNER_UID_LABEL];
  return label !== undefined && label !== owner ? `the object with uid ${label} (label ${OWNER_UID_LABEL})` : undefined;
}
