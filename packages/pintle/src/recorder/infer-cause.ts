import type { CommitFact, ObservedVersion, RequestFact, RunFact } from "./facts.ts";
import { runIdOfAuditId } from "./run-recorder.ts";

/**
 * From what the cause of a commit was inferred. "observedGeneration": the commit says which generation of the same object it is the answer to. "owner": the
 * last change of its owner, or of an object that it owns. "manager": its writer follows the changes that other field managers make to the same object.
 * "time": the change of the same object shortly before.
 */
export type Inference = "observedGeneration" | "owner" | "manager" | "time";

/** A cause that was inferred. */
export interface InferredCause {
  readonly commit: CommitFact;
  readonly inferred: Inference;
}

/** The versions that watches saw, by uid, in order. */
export interface ObservedVersions {
  readonly byUid: ReadonlyMap<string, readonly ObservedCommit[]>;
  /** The versions of the objects that an object owns. */
  readonly byOwner: ReadonlyMap<string, readonly ObservedCommit[]>;
  /** The request of the recorded operator that wrote a version. */
  findRequest(commit: CommitFact): RequestFact | undefined;
}
type ObservedCommit = CommitFact & { readonly observed: ObservedVersion };

const isObserved = (commit: CommitFact): commit is ObservedCommit => commit.observed !== undefined;

/** Indexes the versions that watches saw, and the requests of the operator by what they wrote. */
export function indexObservedVersions(
  commits: Iterable<CommitFact>,
  requests: readonly RequestFact[],
  runs: ReadonlyMap<string, RunFact>,
): ObservedVersions {
  const byUid = new Map<string, ObservedCommit[]>();
  const byOwner = new Map<string, ObservedCommit[]>();
  const add = (map: Map<string, ObservedCommit[]>, uid: string, commit: ObservedCommit) => {
    const known = map.get(uid);
    if (known === undefined) map.set(uid, [commit]);
    else known.push(commit);
  };
  for (const commit of commits) {
    if (!isObserved(commit)) continue;
    add(byUid, commit.uid, commit);
    for (const owner of commit.observed.owners ?? []) add(byOwner, owner, commit);
  }
  for (const map of [byUid, byOwner]) for (const versions of map.values()) versions.sort((a, b) => a.revision - b.revision);
  // The first request that names a version wrote it: what changes nothing is answered with the version before.
  const written = new Map<string, RequestFact>();
  for (const request of requests) {
    const id = `${request.uid} ${request.verb === "delete" ? "deleted" : request.resourceVersion}`;
    if (request.side === "client" && request.code === 200 && request.uid !== undefined && !written.has(id)) written.set(id, request);
  }
  return {
    byUid,
    byOwner,
    findRequest(commit) {
      if (!isObserved(commit)) return undefined;
      const request = written.get(`${commit.uid} ${commit.operation === "delete" ? "deleted" : commit.revision}`);
      const controller = request === undefined ? undefined : runs.get(runIdOfAuditId(request.id) ?? "")?.controller;
      if (controller === undefined || commit.operation === "delete") return request;
      // A controller is its own field manager; parts of a status have managers whose names start with it.
      const { managers } = commit.observed;
      return managers.length === 0 || managers.some((manager) => manager.startsWith(controller)) ? request : undefined;
    },
  };
}

/** The writers of a control plane. Others than these and writers of a status are taken for users, whose changes need no cause. */
const CONTROLLER = /^(kube-|kubelet$|cloud-|cluster-autoscaler|vpa-)/;
const SOON_MS = 5_000;

/** Infers what caused a commit of another controller; undefined if it is a user's, or nothing says. */
export function inferCause({ byUid, byOwner }: ObservedVersions, commit: CommitFact): InferredCause | undefined {
  if (!isObserved(commit)) return undefined;
  const { observed, uid, revision } = commit;
  const versions = byUid.get(uid) ?? [];
  const before = versions.filter((each) => each.revision < revision);
  const previous = before.at(-1);
  const { observedGeneration, owners = [], managers, subresource } = observed;
  if (observedGeneration !== undefined && observedGeneration !== previous?.observed.observedGeneration) {
    const found = before.find(({ observed: { generation } }) => generation === observedGeneration);
    if (found !== undefined) return { commit: found, inferred: "observedGeneration" };
  }
  const isController = subresource === "status" || managers.some((manager) => CONTROLLER.test(manager)) || owners.length > 0;
  if (!isController) return undefined;
  const since = previous?.revision ?? 0;
  const isDeletion = commit.operation === "delete";
  const ownerChanges = owners.flatMap((owner) => (byUid.get(owner) ?? []).filter((each, i, all) => changesSpec(each, all[i - 1])));
  const related = [...ownerChanges, ...(isDeletion ? [] : (byOwner.get(uid) ?? []))]
    .filter((each) => each.revision < revision && each.revision > since)
    .sort((a, b) => a.revision - b.revision)
    .at(-1);
  if (related !== undefined) return { commit: related, inferred: "owner" };
  if (previous === undefined || isDeletion) return undefined;
  const isFollower = before.some((each) => each.observed.managers.some((manager) => managers.includes(manager)));
  if (isFollower && !previous.observed.managers.some((manager) => managers.includes(manager)))
    return { commit: previous, inferred: "manager" };
  return commit.time - previous.time <= SOON_MS ? { commit: previous, inferred: "time" } : undefined;
}

/** The controller of an owner acts on what it owns because of its spec, or because it is deleted; a status is what it reports. */
const changesSpec = ({ operation, observed }: ObservedCommit, before: ObservedCommit | undefined) =>
  operation === "delete" || observed.generation !== before?.observed.generation;
