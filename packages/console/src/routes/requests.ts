import { parseRefusal } from "../facts/index.ts";
import type { DeniedGroup, RequestList, RequestSummary } from "../protocol.ts";
import { describeRequest } from "./describe-run.ts";
import { lastSequence, limitOf, numberOf, type RouteContext } from "./route-context.ts";
import { findFile } from "./source-excerpt.ts";

export function getRequests(context: RouteContext): RequestList {
  const { view, query } = context;
  const { index } = view;
  const [verb, user, run, object, text] = ["verb", "user", "run", "object", "q"].map((name) => query.get(name) || undefined);
  const code = query.get("code") || undefined;
  const limit = limitOf(query, 200);
  const before = Math.min(numberOf(query, "before") ?? Number.POSITIVE_INFINITY, lastSequence(context) + 1);
  const matches = (request: RequestSummary) =>
    (code === undefined || String(request.code) === code || (/^[45]xx$/.test(code) && String(request.code)[0] === code[0])) &&
    (verb === undefined || request.verb === verb) &&
    (user === undefined || request.user === user) &&
    (run === undefined || request.run === run) &&
    (object === undefined || request.object === object) &&
    (text === undefined ||
      `${request.verb} ${request.resource} ${request.object} ${request.user} ${request.message}`
        .toLowerCase()
        .includes(text.toLowerCase()));
  const ids = [...index.requests.values()];
  const requests: RequestSummary[] = [];
  for (let i = ids.length - 1; i >= 0 && requests.length <= limit; i--) {
    const facts = ids[i]!;
    if ((facts.server ?? facts.client)!.sequence >= before) continue;
    const request = describeRequest(view, facts);
    if (matches(request)) requests.push(request);
  }
  return { requests: requests.slice(0, limit), more: requests.length > limit, denied: listDenied(context) };
}

/** Refusals, grouped by right: of writes from their requests, of reads from what the run or the watch was told. */
export function listDenied(context: RouteContext): readonly DeniedGroup[] {
  const { view } = context;
  const { index } = view;
  const limit = lastSequence(context);
  const groups = new Map<string, Writable<DeniedGroup> & { controllers: Set<string> }>();
  const add = (message: string | undefined, time: number, run: string | undefined, controller: string | undefined) => {
    const refusal = message === undefined ? undefined : parseRefusal(message);
    if (message === undefined || refusal === undefined) return;
    const id = JSON.stringify([refusal.verb, refusal.group, refusal.resource, refusal.user]);
    const kind = index.names.kindOf(`${refusal.group === "" ? "core" : refusal.group}/${refusal.resource.split("/")[0]}/-/-`);
    const group = groups.get(id) ?? {
      verb: refusal.verb,
      group: refusal.group,
      resource: refusal.resource,
      user: refusal.user,
      count: 0,
      last: time,
      message,
      namespaces: [],
      runs: [],
      line: formatNeed(kind ?? toKind(refusal.resource), refusal.resource, refusal.verb),
      imports: formatImport(kind ?? toKind(refusal.resource), refusal.group),
      controllers: new Set<string>(),
    };
    groups.set(id, group);
    group.count++;
    group.last = Math.max(group.last, time);
    if (refusal.namespace !== undefined && !group.namespaces.includes(refusal.namespace))
      group.namespaces = [...group.namespaces, refusal.namespace];
    if (run !== undefined && !group.runs.includes(run)) group.runs = [...group.runs, run].slice(-20);
    if (controller !== undefined) group.controllers.add(controller);
  };
  for (const fact of index.facts) {
    if (fact.sequence > limit) break;
    if (fact.type === "request" && fact.code === 403 && fact.side === "server") {
      const run = describeRequest(view, { id: fact.id, server: fact }).run;
      add(fact.message, fact.time, run, run === undefined ? undefined : index.runs.get(run)?.controller);
    } else if (fact.type === "run" && fact.error !== undefined) {
      // Of a write, the request says it already.
      const isWrite = (index.requestsOfRun.get(fact.id) ?? []).some((id) => index.requests.get(id)?.server?.code === 403);
      if (!isWrite) add(fact.error, fact.time, fact.id, fact.controller);
    } else if (fact.type === "watch" && fact.message !== undefined) add(fact.message, fact.time, undefined, fact.controllers?.[0]);
  }
  return [...groups.values()]
    .map(({ controllers, ...group }) => ({ ...group, ...findPlace(context, [...controllers]) }))
    .sort((a, b) => b.last - a.last);
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

function formatNeed(kind: string, resource: string, verb: string): string {
  const subresource = resource.split("/")[1];
  return `needs: [allow(${kind}, ${JSON.stringify(subresource === undefined ? verb : `${subresource}/${verb}`)})]`;
}

function formatImport(kind: string, group: string): string | undefined {
  if (group.includes(".") && !group.endsWith(".k8s.io")) return undefined;
  const short = group === "" ? "core" : group.split(".")[0];
  return `import { ${kind} } from "pintle/kinds/${short}/v1";`;
}

/** "configmaps" -> "ConfigMap", as far as plurals are regular. */
const COMPOUND: Readonly<Record<string, string>> = {
  configmaps: "ConfigMap",
  serviceaccounts: "ServiceAccount",
  persistentvolumeclaims: "PersistentVolumeClaim",
  persistentvolumes: "PersistentVolume",
  replicasets: "ReplicaSet",
  statefulsets: "StatefulSet",
  daemonsets: "DaemonSet",
  cronjobs: "CronJob",
  networkpolicies: "NetworkPolicy",
  rolebindings: "RoleBinding",
  clusterroles: "ClusterRole",
  clusterrolebindings: "ClusterRoleBinding",
  resourcequotas: "ResourceQuota",
  limitranges: "LimitRange",
  poddisruptionbudgets: "PodDisruptionBudget",
  horizontalpodautoscalers: "HorizontalPodAutoscaler",
  endpointslices: "EndpointSlice",
};
function toKind(resource: string): string {
  const plural = resource.split("/")[0]!;
  const singular = plural.endsWith("ies")
    ? `${plural.slice(0, -3)}y`
    : /(ss|x|ch)es$/.test(plural)
      ? plural.slice(0, -2)
      : plural.replace(/s$/, "");
  return COMPOUND[plural] ?? `${singular.charAt(0).toUpperCase()}${singular.slice(1)}`;
}

/** The place where the controller is declared: its `needs`, or the call of `controller()`. */
function findPlace(
  { view: { source, index } }: RouteContext,
  controllers: readonly string[],
): Pick<DeniedGroup, "file" | "fileLine" | "editor"> {
  const files = source.sources().filter(({ file, text }) => !/\.test\.ts$|^test\//.test(file) && text.includes("controller("));
  const places = files.flatMap((file) =>
    controllers.flatMap((name) => {
      const offset = findDeclaration(file.text, index.ownControllers.get(name), name);
      return offset === undefined ? [] : [{ file, offset }];
    }),
  );
  const place = places[0] ?? (files.length === 1 ? { file: files[0]!, offset: files[0]!.text.indexOf("controller(") } : undefined);
  if (place === undefined) return {};
  const { file: found, offset } = place;
  const [declaration = ""] = found.text.slice(offset + CALL.length).split(CALL, 1);
  const needs = /\bneeds\s*:/.exec(declaration)?.index;
  const line = found.text.slice(0, needs === undefined ? offset : offset + CALL.length + needs).split("\n").length;
  return {
    file: found.file,
    fileLine: line,
    editor: findFile([found], found.file)?.path === undefined ? undefined : `vscode://file${encodeURI(found.path!)}:${line}`,
  };
}

const CALL = "controller(";

/** Where a source has the call `controller(Kind, ...)` that declares a controller: the one with its name, or else the first of its kind. */
function findDeclaration(text: string, kind: string | undefined, name: string): number | undefined {
  let first: number | undefined;
  for (let at = text.indexOf(CALL); at >= 0; at = text.indexOf(CALL, at + 1)) {
    const [declaration = ""] = text.slice(at + CALL.length).split(CALL, 1);
    if (declaration.trimStart().split(/\W/, 1)[0] !== kind) continue;
    if (declaration.includes(`name: ${JSON.stringify(name)}`)) return at;
    first ??= at;
  }
  return first;
}
