import { PintleError } from "pintle/internal/errors";
import { diffObjects } from "pintle/internal/merge";
import {
  type CommitExplanation,
  type CommitFact,
  createCausalIndex,
  explainCommit,
  type FieldDifference,
  type FlightRecorder,
} from "pintle/internal/recorder";
import type { JsonObject } from "pintle/kinds";
import type { StoredSecrets } from "../recorder/index.ts";
import type { StoreEvent, StoreSnapshot } from "../store/index.ts";
import type { FieldOrigin } from "./blame-fields.ts";

/** What `Cluster.why` explains. Default: the last commit of the object. */
export interface WhyOptions {
  /** The commit that gave this field its present value: `.spec.replicas`. The path of a field above others means the newest of them. Default: the whole object. */
  readonly field?: string | undefined;
  /** The commit with this revision. Default: the last one. */
  readonly revision?: number | undefined;
}

export interface WhyDeps {
  readonly recorder: FlightRecorder | undefined;
  readonly secrets: StoredSecrets | undefined;
  readonly snapshot: StoreSnapshot;
  readonly blame: () => readonly FieldOrigin[] | undefined;
}

/** Explains a commit of the object under a key. Throws `PintleError` if there is none, or if it is not recorded. */
export function explainObject(key: string, { field, revision }: WhyOptions, deps: WhyDeps): CommitExplanation {
  const { recorder, snapshot, secrets } = deps;
  if (recorder === undefined) throw notRecorded("cluster.why");
  const name = key.replace(/^\/registry\//, "");
  const target = revision ?? (field === undefined ? findLastCommit(key, snapshot) : findFieldCommit(name, field, deps.blame()));
  if (target === undefined) throw new PintleError("PINTLE6571", `cluster.why: ${name} has no commit in the history that the store retains`);
  const events = new Map(snapshot.history.map((event) => [event.revision, event]));
  const explanation = explainCommit(createCausalIndex(recorder.facts()), target, (commit) =>
    listChangedFields(commit, events, (object) => recorder.redactor.redactObject(object, secrets?.fieldsOf(commit.key))),
  );
  if (explanation === undefined)
    throw new PintleError("PINTLE6571", `cluster.why: the commit of ${name} at revision ${target} is not recorded, or not any more`);
  return explanation;
}

export const notRecorded = (call: string) =>
  new PintleError(
    "PINTLE6570",
    `${call}: the cluster is not recorded: start it with \`startCluster({ recorder: true })\`, or \`pintle cluster up --record\``,
  );

function findLastCommit(key: string, { history, entries }: StoreSnapshot): number | undefined {
  return entries.get(key)?.revision ?? history.findLast((event) => event.key === key)?.revision;
}

function findFieldCommit(name: string, field: string, origins: readonly FieldOrigin[] | undefined): number | undefined {
  const path = field.startsWith(".") ? field : `.${field}`;
  const matching = origins?.filter((each) => each.path === path || each.path.startsWith(`${path}.`) || each.path.startsWith(`${path}[`));
  if (matching === undefined || matching.length === 0)
    throw new PintleError("PINTLE6571", `cluster.why: ${name} has no field ${path}; cluster.blame() lists its fields`);
  const revisions = matching.flatMap(({ since }) => since ?? []);
  return revisions.length === 0 ? undefined : Math.max(...revisions);
}

/** The fields that a commit changed, with hashes in place of secrets; none for a commit that created or deleted the object. */
function listChangedFields(
  { revision }: CommitFact,
  events: ReadonlyMap<number, StoreEvent>,
  redact: (object: JsonObject) => JsonObject,
): readonly FieldDifference[] {
  const event = events.get(revision);
  if (event === undefined || event.type === "delete" || event.previous === undefined) return [];
  return diffObjects(redact(event.previous.value), redact(event.value));
}
