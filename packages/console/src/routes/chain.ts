import type { CommitExplanation, CommitFact, RunFact } from "pintle";
import { createCausalIndex, explainCommit, runIdOfAuditId } from "pintle/internal/recorder";
import type { FactIndex } from "../facts/index.ts";
import { pathOfKey } from "../objects/index.ts";
import type { Chain, ChainEdge, ChainNode, ChainTrack } from "../protocol.ts";
import { invalid, notFound } from "../source/index.ts";
import { describeWriter, listChanges } from "./describe-commit.ts";
import type { RouteContext, View } from "./route-context.ts";

const MAX_NODES = 200;
/** Commits after the root that are looked at for inferred causes. */
const MAX_INFERRED = 2_000;

/** One change, and everything that followed: commits and runs, joined by ids. */
export function getChain(context: RouteContext): Chain {
  const { view, query } = context;
  const root = Number(context.params["revision"]);
  if (!Number.isSafeInteger(root)) throw invalid("The revision must be a number.");
  const { index } = view;
  if (!index.commitOf.has(root)) throw notFound(`The commit r${root} is not recorded, or not any more.`);
  const graph = createGraph(view);
  if (query.get("causes") === "true") graph.addCauses(root);
  graph.follow(root);
  return graph.finish(root);
}

interface Graph {
  addCauses(root: number): void;
  follow(root: number): void;
  finish(root: number): Chain;
}

function createGraph(view: View): Graph {
  const { index } = view;
  const events = new Map((view.state(undefined)?.history ?? []).map((event) => [event.revision, event]));
  const nodes = new Map<string, ChainNode>();
  const edges = new Map<string, ChainEdge>();
  const tracks = new Map<string, ChainTrack>();
  let leftOut = 0;
  const commitId = (revision: number) => `r${revision}`;
  const runId = (run: string) => `run ${run}`;

  const addTrack = (track: ChainTrack) => {
    const known = tracks.get(track.id);
    if (known === undefined) tracks.set(track.id, track);
    else if (known.object !== undefined && known.object !== track.object)
      tracks.set(track.id, { ...known, object: undefined, label: known.label.endsWith("s") ? known.label : `${known.label}s` });
    return track.id;
  };
  const addCommit = (commit: CommitFact, depth: number): boolean => {
    const id = commitId(commit.revision);
    if (nodes.has(id)) return false;
    const object = pathOfKey(commit.key);
    const kind = index.names.kindOf(object) ?? commit.kind ?? object.split("/")[1]!;
    const name = object
      .split("/")
      .slice(2)
      .filter((part) => part !== "-")
      .join("/");
    const event = events.get(commit.revision);
    const changes = event === undefined ? [] : listChanges(view, event);
    const what =
      commit.operation === "delete"
        ? "deleted"
        : event !== undefined && event.previous === undefined
          ? "created"
          : changes
              .slice(0, 3)
              .map(({ path, old, new: now }) => `${path} ${format(old)} -> ${format(now)}`)
              .join(", ");
    const more = changes.length > 3 ? ` and ${changes.length - 3} more` : "";
    const track = addTrack({ id: `objects ${kind}`, label: kind, kind: "objects", object });
    nodes.set(id, {
      id,
      track,
      type: "commit",
      time: view.source.timeOf(commit.revision) ?? commit.time,
      revision: commit.revision,
      object,
      text: `${kind} ${name} ${what}${more}`.trim(),
      depth,
    });
    return true;
  };
  const addRun = (run: RunFact, depth: number): boolean => {
    const id = runId(run.id);
    if (nodes.has(id)) return false;
    const track = addTrack({ id: `controller ${run.controller}`, label: run.controller, kind: "controller" });
    nodes.set(id, {
      id,
      track,
      type: "run",
      time: run.time - run.duration,
      duration: run.duration,
      run: run.id,
      object: index.pathOfRun(run.controller, run.key),
      text: `${run.controller} ${run.key} ${run.error ?? run.result}`,
      error: run.error,
      depth,
    });
    return true;
  };
  const addEdge = (from: string, to: string, type: ChainEdge["type"], inferred?: string) => {
    const [a, b] = [nodes.get(from), nodes.get(to)];
    if (a === undefined || b === undefined || edges.has(`${from}>${to}`)) return;
    edges.set(`${from}>${to}`, {
      from,
      to,
      type,
      inferred,
      gap: Math.max(0, Math.round((b.time - a.time - (a.duration ?? 0)) * 1000) / 1000),
    });
  };

  return {
    addCauses(root) {
      const explanation = explainCommit(createCausalIndex(index.facts), root);
      const visit = (node: CommitExplanation, depth: number) => {
        const commit = index.commitOf.get(node.commit.revision);
        if (commit === undefined || nodes.size >= MAX_NODES) return;
        addCommit(commit, -depth);
        const run = node.run === undefined ? undefined : index.runs.get(node.run.id);
        if (run !== undefined) {
          addRun(run, -depth - 1);
          addEdge(runId(run.id), commitId(commit.revision), "wrote");
        }
        for (const cause of node.causes) {
          visit(cause, depth + 2);
          addEdge(commitId(cause.commit.revision), run === undefined ? commitId(commit.revision) : runId(run.id), "woke", cause.inferred);
        }
      };
      if (explanation !== undefined) visit(explanation, 0);
    },
    follow(root) {
      const { runsOfCommit, runsOfRun } = indexEffects(index, root);
      const inferred = inferEffects(index, root);
      const queue: { readonly type: "commit" | "run"; readonly id: string; readonly depth: number }[] = [
        { type: "commit", id: String(root), depth: 0 },
      ];
      const seen = new Set([`commit ${root}`]);
      addCommit(index.commitOf.get(root)!, 0);
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const from = next.type === "commit" ? commitId(Number(next.id)) : runId(next.id);
        const enqueue = (type: "commit" | "run", id: string) => {
          if (seen.has(`${type} ${id}`)) return;
          seen.add(`${type} ${id}`);
          queue.push({ type, id, depth: next!.depth + 1 });
        };
        const isFull = () => nodes.size >= MAX_NODES;
        const runs = next.type === "commit" ? runsOfCommit.get(Number(next.id)) : runsOfRun.get(next.id);
        for (const run of runs ?? []) {
          if (isFull() && !nodes.has(runId(run.id))) leftOut++;
          else {
            addRun(run, next.depth + 1);
            addEdge(from, runId(run.id), "woke");
            enqueue("run", run.id);
          }
        }
        const commits =
          next.type === "run"
            ? (index.commitsOfRun.get(next.id) ?? []).map((revision) => [revision, undefined] as const)
            : (inferred.get(Number(next.id)) ?? []);
        for (const [revision, why] of commits) {
          const commit = index.commitOf.get(revision);
          if (commit === undefined) continue;
          if (isFull() && !nodes.has(commitId(revision))) leftOut++;
          else {
            addCommit(commit, next.depth + 1);
            addEdge(from, commitId(revision), next.type === "run" ? "wrote" : "woke", why);
            enqueue("commit", String(revision));
          }
        }
      }
    },
    finish(root) {
      const { user, run } = describeWriter(view, root);
      // What began the chain is its own track: a client, unless a run wrote it.
      const first = nodes.get(commitId(root))!;
      if (run === undefined) {
        addTrack({ id: "client", label: user ?? "client", kind: "client" });
        nodes.set(first.id, { ...first, track: "client" });
      } else {
        const fact = index.runs.get(run);
        if (fact !== undefined && addRun(fact, -1)) addEdge(runId(run), first.id, "wrote");
      }
      // Runs that wrote nothing and woke nothing say nothing about the change.
      const withEffect = new Set([...edges.values()].map(({ from }) => from));
      for (const [id, node] of nodes) if (node.type === "run" && node.error === undefined && !withEffect.has(id)) nodes.delete(id);
      const sorted = [...nodes.values()].sort((a, b) => a.time - b.time || a.depth - b.depth || (a.revision ?? 0) - (b.revision ?? 0));
      const used = new Set(sorted.map(({ track }) => track));
      const order = { client: 0, controller: 1, objects: 2 } as const;
      const firstOf = new Map<string, number>();
      sorted.forEach(({ track }, i) => {
        if (!firstOf.has(track)) firstOf.set(track, i);
      });
      const isOwn = (track: ChainTrack) => index.ownControllers.has(track.label);
      return {
        root,
        start: sorted[0]?.time ?? first.time,
        end: Math.max(...sorted.map(({ time, duration = 0 }) => time + duration)),
        tracks: [...tracks.values()]
          .filter(({ id }) => used.has(id))
          .sort((a, b) => order[a.kind] - order[b.kind] || Number(isOwn(b)) - Number(isOwn(a)) || firstOf.get(a.id)! - firstOf.get(b.id)!),
        nodes: sorted,
        edges: [...edges.values()].filter(({ from, to }) => nodes.has(from) && nodes.has(to)),
        leftOut,
      };
    },
  };
}

/** Which runs a commit woke, and which a run led to by retry or requeue. */
function indexEffects(index: FactIndex, root: number) {
  const runsOfCommit = new Map<number, RunFact[]>();
  const runsOfRun = new Map<string, RunFact[]>();
  const push = <K>(map: Map<K, RunFact[]>, key: K, run: RunFact) => {
    const known = map.get(key);
    if (known === undefined) map.set(key, [run]);
    else known.push(run);
  };
  for (const run of index.runs.values()) {
    for (const cause of run.causes) {
      if (cause.run !== undefined) push(runsOfRun, cause.run, run);
      for (const { revision } of index.commitsOfCause(cause)) if (revision >= root) push(runsOfCommit, revision, run);
    }
  }
  return { runsOfCommit, runsOfRun };
}

/** Commits of other controllers of a real cluster, by the commit from which they follow as far as it can be inferred. */
function inferEffects(index: FactIndex, root: number): ReadonlyMap<number, readonly (readonly [number, string])[]> {
  const effects = new Map<number, (readonly [number, string])[]>();
  const observed = index.commits
    .filter(
      ({ revision, observed: seen, request }) =>
        seen !== undefined && revision > root && (request === undefined || runIdOfAuditId(request) === undefined),
    )
    .slice(0, MAX_INFERRED);
  if (observed.length === 0) return effects;
  const causal = createCausalIndex(index.facts);
  for (const { revision } of observed) {
    const cause = explainCommit(causal, revision)?.causes.find(({ inferred }) => inferred !== undefined);
    if (cause?.inferred === undefined) continue;
    const known = effects.get(cause.commit.revision) ?? [];
    effects.set(cause.commit.revision, [...known, [revision, cause.inferred]]);
  }
  return effects;
}

function format(value: unknown): string {
  const text = value === undefined ? "unset" : JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
