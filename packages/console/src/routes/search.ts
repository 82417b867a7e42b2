import { pathOfKey } from "../objects/index.ts";
import type { LifecycleOverview, SearchResult } from "../protocol.ts";
import { listSummaries } from "./objects.ts";
import { lastSequence, type RouteContext, requireState } from "./route-context.ts";

const MAX_HITS = 50;
type Hit = SearchResult["hits"][number];

/** For the palette: objects first, then revisions, controllers, runs and requests. */
export function getSearch(context: RouteContext): SearchResult {
  const { view, query, at } = context;
  const { index } = view;
  const text = (query.get("q") ?? "").trim().toLowerCase();
  if (text === "") return { hits: [] };
  const words = text.split(/\s+/);
  const matches = (candidate: string) => words.every((word) => candidate.toLowerCase().includes(word));
  const hits: (Hit & { readonly rank: number })[] = [];
  const [, revision] = /^r?(\d{1,12})$/.exec(text) ?? [];
  if (revision !== undefined && index.commitOf.has(Number(revision)))
    hits.push({
      type: "revision",
      text: `r${revision}`,
      detail: index.commitOf.get(Number(revision))!.key.replace(/^\/registry\//, ""),
      href: `/chain/${revision}`,
      rank: 0,
    });
  const state = view.state(at);
  for (const [key, { value }] of state?.entries ?? []) {
    const path = pathOfKey(key, String(value["apiVersion"] ?? "") || undefined);
    const kind = String(value["kind"] ?? "");
    if (!matches(`${kind} ${path}`)) continue;
    const name = path.split("/").at(-1)!;
    const rank = name === text ? 1 : name.startsWith(words.at(-1)!) ? 2 : key.startsWith("/registry/events/") ? 6 : 3;
    hits.push({
      type: "object",
      text: path
        .split("/")
        .slice(2)
        .filter((part) => part !== "-")
        .join("/"),
      detail: kind,
      href: `/o/${path.split("/").map(encodeURIComponent).join("/")}`,
      rank,
    });
  }
  for (const [controller, kind] of index.ownControllers)
    if (matches(`controller ${controller} ${kind}`))
      hits.push({
        type: "controller",
        text: controller,
        detail: `controller of ${kind}`,
        href: `/runs?controller=${encodeURIComponent(controller)}`,
        rank: 2,
      });
  const limit = lastSequence(context);
  let found = 0;
  for (let i = index.facts.length - 1; i >= 0 && found < MAX_HITS; i--) {
    const fact = index.facts[i]!;
    if (fact.sequence > limit) continue;
    if (fact.type === "run" && index.ownControllers.has(fact.controller) && matches(`run ${fact.id} ${fact.key} ${fact.error ?? ""}`)) {
      hits.push({
        type: "run",
        text: `run ${fact.id}`,
        detail: `${fact.controller} ${fact.key} ${fact.error ?? fact.result}`,
        href: `/run/${fact.id}`,
        rank: 4,
      });
      found++;
    } else if (
      fact.type === "request" &&
      fact.side === "server" &&
      matches(`${fact.id} ${fact.verb} ${fact.resource} ${fact.name} ${fact.code}`)
    ) {
      hits.push({
        type: "request",
        text: `${fact.verb} ${fact.resource} ${fact.name ?? ""}`,
        detail: `${fact.code} ${fact.user ?? ""}`,
        href: `/requests?q=${encodeURIComponent(fact.id)}`,
        rank: 5,
      });
      found++;
    }
  }
  return {
    hits: hits
      .sort((a, b) => a.rank - b.rank)
      .slice(0, MAX_HITS)
      .map(({ rank: _, ...hit }) => hit),
  };
}

const ROLES: Readonly<Record<string, LifecycleOverview["objects"][number]["role"]>> = {
  ClusterExtension: "extension",
  ClusterCatalog: "catalog",
  ClusterExtensionRevision: "revision",
  ClusterExtensionPlan: "plan",
  UpgradePlan: "plan",
  ExtensionPlan: "plan",
};

/** Extensions, catalogs, plans and revisions, where the lifecycle API is served. */
export function getLifecycle(context: RouteContext): LifecycleOverview {
  const state = requireState(context);
  const served = [...state.entries.keys()].some((key) =>
    key.startsWith("/registry/apiextensions.k8s.io/customresourcedefinitions/clusterextensions."),
  );
  const objects = listSummaries(context, state, (_, value) => Object.hasOwn(ROLES, String(value["kind"])));
  return { served, objects: objects.map((summary) => ({ ...summary, role: ROLES[summary.kind]!, detail: summary.stateText })) };
}
