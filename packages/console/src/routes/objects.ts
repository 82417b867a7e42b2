import { diffObjects } from "pintle/internal/merge";
import type { JsonObject } from "pintle/kinds";
import { compareTrouble, keyOfPath, listConditions, matchesSelector, pathOfKey, summarize } from "../objects/index.ts";
import type {
  ClusterDiff,
  ConditionState,
  KindList,
  KindSummary,
  ObjectDetail,
  ObjectDiff,
  ObjectList,
  ObjectSummary,
  ObjectTree,
} from "../protocol.ts";
import { type ClusterState, gone, invalid, notFound, type StoredCommit } from "../source/index.ts";
import { compact, nameWriter } from "./describe-commit.ts";
import { markFailing } from "./last-runs.ts";
import { listQueues } from "./queues.ts";
import { commitsOf, findObject, limitOf, numberOf, type RouteContext, requireState } from "./route-context.ts";

const CRDS = "/registry/apiextensions.k8s.io/customresourcedefinitions/";
const MAX_TREE = 200;

/** The kinds that the operator reconciles, as "group/resource". */
export function ownResources({ view: { index } }: RouteContext): ReadonlySet<string> {
  return new Set([...index.ownControllers.values()].flatMap((kind) => index.names.resourceOf(kind) ?? []));
}

export function getKinds(context: RouteContext): KindList {
  const state = requireState(context);
  const own = ownResources(context);
  const kinds = new Map<string, { -readonly [K in keyof KindSummary]: KindSummary[K] }>();
  for (const [key, { value }] of state.entries) {
    const apiVersion = String(value["apiVersion"] ?? "");
    const [group = "", resource = "", namespace] = pathOfKey(key, apiVersion || undefined).split("/");
    const id = `${group}/${resource}`;
    const known = kinds.get(id);
    if (known === undefined)
      kinds.set(id, {
        group: group === "core" ? "" : group,
        version: apiVersion.split("/").at(-1)!,
        resource,
        kind: String(value["kind"] ?? ""),
        namespaced: namespace !== "-",
        count: 1,
        own: own.has(id),
        custom: false,
      });
    else known.count++;
  }
  for (const { group, names, scope, version } of listDefinitions(state)) {
    const id = `${group}/${names.plural}`;
    const known = kinds.get(id);
    if (known !== undefined) known.custom = true;
    else
      kinds.set(id, {
        group,
        version,
        resource: names.plural,
        kind: names.kind,
        namespaced: scope === "Namespaced",
        count: 0,
        own: own.has(id),
        custom: true,
      });
  }
  return {
    kinds: [...kinds.values()].sort(
      (a, b) => Number(b.own) - Number(a.own) || Number(b.custom) - Number(a.custom) || (a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : 0),
    ),
  };
}

/** A CustomResourceDefinition, as far as the page needs it. */
export interface Definition {
  readonly group: string;
  readonly names: { readonly plural: string; readonly kind: string };
  readonly scope: string;
  readonly version: string;
  readonly versions: readonly {
    readonly name: string;
    readonly storage?: boolean;
    readonly schema?: { readonly openAPIV3Schema?: JsonObject };
    readonly additionalPrinterColumns?: readonly { readonly name: string; readonly jsonPath: string }[];
  }[];
}

export function listDefinitions({ entries }: ClusterState): readonly Definition[] {
  return [...entries].flatMap(([key, { value }]) => {
    if (!key.startsWith(CRDS)) return [];
    const spec = value["spec"] as unknown as Omit<Definition, "version">;
    return [{ ...spec, version: spec.versions.find(({ storage }) => storage === true)?.name ?? spec.versions[0]?.name ?? "" }];
  });
}

/** All objects of a state, summarized. */
export function listSummaries(
  context: RouteContext,
  state = requireState(context),
  matches: (path: string, value: JsonObject) => boolean = () => true,
): readonly ObjectSummary[] {
  const { source } = context.view;
  const summaries = [...state.entries].flatMap(([key, { revision, value }]) => {
    const path = pathOfKey(key, String(value["apiVersion"] ?? "") || undefined);
    return matches(path, value) ? [summarize(key, revision, source.redact(key, value))] : [];
  });
  return markFailing(context, summaries);
}

export function getObjects(context: RouteContext): ObjectList {
  const { query, view } = context;
  const state = requireState(context);
  const kind = query.get("kind");
  const namespace = query.get("namespace");
  const text = query.get("q")?.toLowerCase() ?? "";
  const label = query.get("label");
  const wanted = query.get("state");
  const matchesLabel = label === null || label === "" ? () => true : matchesSelector(label);
  const matches = (path: string, value: JsonObject) => {
    const [group, resource, ns] = path.split("/");
    if (kind !== null && kind !== "" && `${group}/${resource}` !== kind) return false;
    if (namespace !== null && namespace !== "" && ns !== namespace) return false;
    if (text !== "" && !path.toLowerCase().includes(text) && !String(value["kind"]).toLowerCase().includes(text)) return false;
    return matchesLabel(value);
  };
  const deleted = query.get("deleted") === "true" ? listDeleted(context, state, matches) : [];
  const all = [...listSummaries(context, state, matches), ...deleted]
    .filter((summary) => wanted === null || wanted === "" || summary.state === wanted)
    .sort(compareTrouble);
  const offset = numberOf(query, "offset") ?? 0;
  return {
    revision: view.source.state() === undefined ? undefined : state.revision,
    total: all.length,
    items: all.slice(offset, offset + limitOf(query, 500)),
  };
}

function listDeleted(
  { view: { source } }: RouteContext,
  state: ClusterState,
  matches: (path: string, value: JsonObject) => boolean,
): readonly ObjectSummary[] {
  const last = new Map<string, StoredCommit>();
  for (const event of state.history) if (event.type === "delete" && !state.entries.has(event.key)) last.set(event.key, event);
  return [...last.values()].flatMap(({ key, value, revision, previous }) => {
    if (!matches(pathOfKey(key, String(value["apiVersion"] ?? "") || undefined), value)) return [];
    return [{ ...summarize(key, previous?.revision ?? revision, source.redact(key, value)), deleted: source.timeOf(revision) ?? 0 }];
  });
}

export function getTree(context: RouteContext): ObjectTree {
  const state = requireState(context);
  const root = context.query.get("root");
  const limit = Math.min(limitOf(context.query, MAX_TREE), MAX_TREE);
  const all = listSummaries(context, state);
  const children = new Map<string, ObjectSummary[]>();
  for (const summary of all) {
    const owner = summary.owners[0];
    if (owner === undefined) continue;
    const known = children.get(owner);
    if (known === undefined) children.set(owner, [summary]);
    else known.push(summary);
  }
  const own = ownResources(context);
  const isOwn = ({ path }: ObjectSummary) => own.has(path.split("/", 2).join("/"));
  const roots = root === null || root === "" ? all.filter(isOwn) : all.filter(({ path }) => path === root);
  if (root !== null && root !== "" && roots.length === 0)
    throw notFound(`${root} does not exist${context.at === undefined ? "" : ` at r${context.at}`}.`);
  const found = new Map<string, ObjectSummary>();
  const visit = (summary: ObjectSummary) => {
    if (found.has(summary.uid)) return;
    found.set(summary.uid, summary);
    for (const child of children.get(summary.uid) ?? []) visit(child);
  };
  for (const summary of [...roots].sort(compareTrouble)) visit(summary);
  const nodes = [...found.values()];
  if (nodes.length <= limit) return { revision: state.revision, nodes, leftOut: {} };
  // A node that is kept keeps what is above it, so that the tree stays whole.
  const kept = new Set<string>();
  for (const summary of [...nodes].sort(compareTrouble)) {
    const above: string[] = [];
    for (let each: ObjectSummary | undefined = summary; each !== undefined && !kept.has(each.uid); each = found.get(each.owners[0] ?? "")) {
      if (above.includes(each.uid)) break;
      above.push(each.uid);
    }
    if (kept.size + above.length <= limit) for (const uid of above) kept.add(uid);
  }
  const leftOut: Record<string, number> = {};
  for (const { uid, kind } of nodes) if (!kept.has(uid)) leftOut[kind] = (leftOut[kind] ?? 0) + 1;
  return { revision: state.revision, nodes: nodes.filter(({ uid }) => kept.has(uid)), leftOut };
}

export function getObject(context: RouteContext): ObjectDetail {
  const { view } = context;
  const { source } = view;
  const state = requireState(context);
  const found = findObject(context, state);
  const [summary] = markFailing(context, [summarize(found.key, found.revision, found.value)]) as [ObjectSummary];
  const all = listSummaries(context, state, (_, { metadata }) => {
    const { uid, ownerReferences } = metadata as { readonly uid?: string; readonly ownerReferences?: readonly { readonly uid?: string }[] };
    return summary.owners.includes(uid ?? "") || (ownerReferences ?? []).some((owner) => owner.uid === summary.uid);
  });
  const commits = commitsOf(state, found.key);
  const { managedFields: _, ...metadata } = (found.value["metadata"] ?? {}) as JsonObject;
  const spec = (found.value["spec"] ?? {}) as {
    readonly containers?: readonly { readonly name: string; readonly ports?: readonly { readonly containerPort: number }[] }[];
  };
  const containers = summary.kind === "Pod" ? (spec.containers ?? []) : [];
  const queueKey = summary.namespace === undefined ? summary.name : `${summary.namespace}/${summary.name}`;
  const controllers = [...view.index.ownControllers].flatMap(([controller, kind]) => (kind === summary.kind ? [controller] : []));
  return {
    summary: found.deleted === undefined ? summary : { ...summary, deleted: source.timeOf(found.deleted) ?? 0 },
    object: found.value,
    yaml: source.toYaml({ ...found.value, metadata }),
    owners: all.filter(({ uid }) => summary.owners.includes(uid)),
    children: all.filter(({ owners }) => owners.includes(summary.uid)).sort(compareTrouble),
    conditions: describeConditions(commits, found.value),
    revisions: commits.map(({ revision, type, value }) => ({
      revision,
      time: source.timeOf(revision),
      operation: type,
      by: nameWriter(view, revision, value),
    })),
    queue: listQueues(context)
      .filter(({ controller }) => controllers.includes(controller))
      .flatMap(({ running, ready, delayed }) => [...running, ...ready, ...delayed])
      .find(({ key }) => key === queueKey),
    containers: containers.map(({ name }) => name),
    ports: containers.flatMap(({ ports = [] }) => ports.map(({ containerPort }) => containerPort)),
    commands:
      source.kubectl === undefined
        ? []
        : [
            `${source.kubectl} get ${formatResource(found.path)} ${summary.name}${summary.namespace === undefined ? "" : ` -n ${summary.namespace}`} -o yaml`,
          ],
  };
}

function formatResource(path: string): string {
  const [group = "core", resource = ""] = path.split("/");
  return group === "core" ? resource : `${resource}.${group}`;
}

/** Conditions with the status before their last transition. */
function describeConditions(commits: readonly StoredCommit[], object: JsonObject): readonly ConditionState[] {
  return listConditions(object).map((condition) => {
    const before = commits.findLast(({ previous }) => {
      const earlier = previous === undefined ? undefined : listConditions(previous.value).find(({ type }) => type === condition.type);
      return earlier !== undefined && earlier.status !== condition.status;
    });
    const earlier =
      before?.previous === undefined ? undefined : listConditions(before.previous.value).find(({ type }) => type === condition.type);
    return earlier === undefined ? condition : { ...condition, from: earlier.status };
  });
}

export function getObjectDiff(context: RouteContext): ObjectDiff {
  const { query, view, at } = context;
  const { source } = view;
  const now = requireState({ ...context, at: undefined });
  const path = context.params["*"] ?? "";
  const key =
    keyOfPath(path, (each) => now.entries.has(each)) ?? keyOfPath(path, (each) => now.history.some((event) => event.key === each));
  if (key === undefined) throw notFound(`${path} does not exist, and no commit of it is retained.`);
  const commits = now.history.filter((event) => event.key === key);
  const to = numberOf(query, "to") ?? at ?? now.revision;
  const last = commits.findLast(({ revision }) => revision <= to);
  const from = numberOf(query, "from") ?? last?.previous?.revision ?? (last === undefined ? to : last.revision - 1);
  const [before, after] = [valueAt(from), valueAt(to)];
  const uidOf = (value: JsonObject | undefined) => (value?.["metadata"] as JsonObject | undefined)?.["uid"];
  const changes = compact(before === undefined || after === undefined ? [] : diffObjects(before, after));
  const type =
    before === undefined
      ? after === undefined
        ? "same"
        : "created"
      : after === undefined
        ? "deleted"
        : uidOf(before) !== uidOf(after)
          ? "replaced"
          : changes.length > 0
            ? "changed"
            : "same";
  const side = (revision: number, value: JsonObject | undefined) => ({
    revision,
    time: source.timeOf(revision),
    yaml: value === undefined ? undefined : source.toYaml(withoutManagedFields(value)),
  });
  return { from: side(from, before), to: side(to, after), type, changes };

  function valueAt(revision: number): JsonObject | undefined {
    if (revision > now.revision) throw invalid(`r${revision} is in the future: the current revision is r${now.revision}.`);
    const commit = commits.findLast((event) => event.revision <= revision);
    if (commit !== undefined) return commit.type === "delete" ? undefined : source.redact(key!, commit.value);
    if (revision < now.oldestRevision) throw gone(revision, now.oldestRevision);
    const first = commits.find((event) => event.revision > revision);
    if (first !== undefined) return first.previous === undefined ? undefined : source.redact(key!, first.previous.value);
    const current = now.entries.get(key!);
    return current === undefined || current.revision > revision ? undefined : source.redact(key!, current.value);
  }
}

export const withoutManagedFields = (object: JsonObject): JsonObject => {
  const { managedFields: _, ...metadata } = (object["metadata"] ?? {}) as JsonObject;
  return { ...object, metadata };
};

export function getClusterDiff(context: RouteContext): ClusterDiff {
  const { query, view } = context;
  const from = numberOf(query, "from");
  if (from === undefined) throw invalid("from is missing: name the revision to compare with.");
  const before = requireState({ ...context, at: from });
  const to = numberOf(query, "to") ?? context.at;
  const after = requireState({ ...context, at: to });
  const keys = [...new Set([...after.entries.keys(), ...before.entries.keys()])].sort();
  const objects = keys.flatMap((key): ClusterDiff["objects"] => {
    const [old, now] = [before.entries.get(key), after.entries.get(key)];
    if (old?.revision === now?.revision) return [];
    const { value } = (now ?? old)!;
    const identity = { path: pathOfKey(key, String(value["apiVersion"] ?? "") || undefined), kind: String(value["kind"] ?? "") };
    if (old === undefined || now === undefined) return [{ ...identity, type: old === undefined ? "created" : "deleted", changes: [] }];
    const isReplaced = (old.value["metadata"] as JsonObject)["uid"] !== (now.value["metadata"] as JsonObject)["uid"];
    const changes = compact(diffObjects(view.source.redact(key, old.value), view.source.redact(key, now.value)));
    return [{ ...identity, type: isReplaced ? "replaced" : "changed", changes }];
  });
  return { from, to: to ?? after.revision, objects };
}
