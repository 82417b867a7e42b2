import { diffObjects } from "pintle/internal/merge";
import { runIdOfAuditId } from "pintle/internal/recorder";
import type { JsonObject } from "pintle/kinds";
import type { FieldChange, StoryCommit } from "../protocol.ts";
import type { StoredCommit } from "../source/index.ts";
import type { View } from "./route-context.ts";

/** The fields that a commit changed, without secrets. */
export function listChanges({ source }: View, { key, type, value, previous }: StoredCommit): readonly FieldChange[] {
  if (type === "delete" || previous === undefined) return [];
  return compact(diffObjects(source.redact(key, previous.value), source.redact(key, value)));
}

/** Leaves out absent values, as the protocol says; what a client asks for comes before what the API server keeps. */
export const compact = (
  changes: readonly { readonly path: string; readonly old?: unknown; readonly new?: unknown }[],
): readonly FieldChange[] =>
  changes
    .map(({ path, old, new: now }) => ({ path, ...(old === undefined ? {} : { old }), ...(now === undefined ? {} : { new: now }) }))
    .sort((a, b) => rankOf(a.path) - rankOf(b.path));

const rankOf = (path: string) => (path.startsWith(".spec") ? 0 : path.startsWith(".metadata") ? 3 : path.startsWith(".status") ? 1 : 2);

/** Who made a commit: user, manager, run. */
export function describeWriter(
  { index }: View,
  revision: number,
): Pick<StoryCommit, "user" | "manager" | "verb" | "request" | "run" | "controller" | "inferred"> {
  const fact = index.commitOf.get(revision);
  if (fact === undefined) return {};
  const { client, server } = (fact.request === undefined ? undefined : index.requests.get(fact.request)) ?? {};
  const run = fact.run ?? (fact.request === undefined ? undefined : runIdOfAuditId(fact.request));
  return {
    user: server?.user ?? client?.user,
    manager: server?.fieldManager ?? client?.fieldManager ?? fact.observed?.managers[0],
    verb: server?.verb ?? client?.verb,
    request: fact.request,
    run,
    controller: run === undefined ? undefined : index.runs.get(run)?.controller,
  };
}

/** Who made a commit, in one word: the controller, the manager or the user. */
export function nameWriter(view: View, revision: number, object?: JsonObject): string {
  const { controller, manager, user } = describeWriter(view, revision);
  const managers = ((object?.["metadata"] as JsonObject | undefined)?.["managedFields"] ?? []) as readonly { readonly manager?: string }[];
  return controller ?? manager ?? user ?? managers.at(-1)?.manager ?? "unknown";
}

export function describeCommit(view: View, commit: StoredCommit): StoryCommit {
  const { type, revision, previous } = commit;
  const fact = view.index.commitOf.get(revision);
  const { server } = (fact?.request === undefined ? undefined : view.index.requests.get(fact.request)) ?? {};
  return {
    type: "commit",
    time: view.source.timeOf(revision) ?? fact?.time ?? 0,
    revision,
    operation: type === "delete" ? "delete" : previous === undefined ? "create" : "update",
    changes: listChanges(view, commit),
    subresource: server?.resource?.includes("/") === true ? server.resource.split("/")[1] : fact?.observed?.subresource,
    ...describeWriter(view, revision),
  };
}
