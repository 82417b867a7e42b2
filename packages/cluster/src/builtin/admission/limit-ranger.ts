import type { LimitRange, LimitRangeItem, PersistentVolumeClaim, Pod } from "pintle/kinds/core/v1";
import type { AdmissionPlugin, AdmissionRequest } from "../../api/index.ts";
import type { Store } from "../../store/index.ts";
import { podTotals } from "../core/pod-totals.ts";
import type { Draft, Loose } from "../draft.ts";
import { compareQuantities, nanos } from "../text/quantities.ts";
import { pluginFor, refusal, stored } from "./plugin.ts";

type Quantities = Readonly<Record<string, string | null | undefined>> | null | undefined;
type Limits = readonly Loose<LimitRangeItem>[];

/** Containers get what the limit ranges of their namespace give, and stay within what those allow. */
export function limitRanger(store: Store): readonly AdmissionPlugin[] {
  const limitsOf = async ({ namespace }: AdmissionRequest): Promise<readonly Limits[]> =>
    (await stored<LimitRange>(store, "", "limitranges", namespace)).map(({ spec }) => spec?.limits ?? []);
  return [
    pluginFor<Pod>("LimitRanger", {
      group: "",
      plural: "pods",
      on: ["CREATE"],
      async change(draft, request) {
        for (const limits of await limitsOf(request)) fill(draft, limits);
      },
      async check(pod, request) {
        for (const limits of await limitsOf(request)) refuse(request, podProblems(pod, limits));
      },
    }),
    pluginFor<PersistentVolumeClaim>("LimitRanger", {
      group: "",
      plural: "persistentvolumeclaims",
      on: ["CREATE", "UPDATE"],
      async check(claim, request) {
        for (const limits of await limitsOf(request)) refuse(request, claimProblems(claim, limits));
      },
    }),
  ];
}

function refuse(request: AdmissionRequest, problems: readonly string[]): void {
  if (problems.length > 0) throw refusal(request, problems.length === 1 ? problems[0]! : `[${[...new Set(problems)].join(", ")}]`);
}

function fill(draft: Draft<Pod>, limits: Limits): void {
  const ofContainers = limits.filter(({ type }) => type === "Container");
  const usual = (list: "default" | "defaultRequest") =>
    Object.assign({}, ...ofContainers.map((item) => item[list])) as Record<string, string>;
  const told = (["containers", "initContainers"] as const).flatMap((list) =>
    (draft.spec?.[list] ?? []).flatMap((container) => {
      container.resources ??= {};
      const { resources } = container;
      const what = `${list === "containers" ? "container" : "init container"} ${container.name}`;
      return [
        ...added(resources, "requests", usual("defaultRequest"), `request for ${what}`),
        ...added(resources, "limits", usual("default"), `limit for ${what}`),
      ];
    }),
  );
  if (told.length === 0) return;
  draft.metadata ??= {};
  draft.metadata.annotations = {
    ...draft.metadata.annotations,
    "kubernetes.io/limit-ranger": `LimitRanger plugin set: ${told.join("; ")}`,
  };
}

type Resources = { requests?: Quantities; limits?: Quantities };

/** Sets what is missing, and says so. */
function added(
  resources: Resources,
  list: "requests" | "limits",
  usual: Readonly<Record<string, string>>,
  what: string,
): readonly string[] {
  const missing = Object.keys(usual)
    .filter((name) => resources[list]?.[name] == null)
    .sort();
  if (missing.length === 0) return [];
  resources[list] = { ...resources[list], ...Object.fromEntries(missing.map((name) => [name, usual[name]!])) };
  return [`${missing.join(", ")} ${what}`];
}

function podProblems(pod: Loose<Pod>, limits: Limits): readonly string[] {
  return limits.flatMap((item) => {
    if (item.type === "Pod") return within(item, podTotals(pod, "requests"), podTotals(pod, "limits"));
    if (item.type !== "Container") return [];
    const all = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
    return all.flatMap(({ resources }) => within(item, resources?.requests, resources?.limits));
  });
}

function claimProblems({ spec }: Loose<PersistentVolumeClaim>, limits: Limits): readonly string[] {
  const requests = spec?.resources?.requests;
  return limits
    .filter(({ type }) => type === "PersistentVolumeClaim")
    .flatMap((item) => [
      ...each(item.min, (name, least) => tooLittle(item, name, least, requests, {})),
      ...each(item.max, (name, most) => {
        const asked = requests?.[name];
        const rule = `maximum ${name} usage per ${item.type} is ${most}`;
        if (asked == null) return `${rule}.  No request is specified`;
        return compareQuantities(asked, most) > 0 ? `${rule}, but request is ${asked}` : undefined;
      }),
    ]);
}

function within(item: Loose<LimitRangeItem>, requests: Quantities, limits: Quantities): readonly string[] {
  return [
    ...each(item.min, (name, least) => tooLittle(item, name, least, requests, limits)),
    ...each(item.max, (name, most) => tooMuch(item, name, most, requests, limits)),
    ...each(item.maxLimitRequestRatio, (name, most) => tooFar(item, name, most, requests, limits)),
  ];
}

function each(quantities: Quantities, problem: (name: string, value: string) => string | undefined): readonly string[] {
  return Object.entries(quantities ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, value]) => problem(name, value ?? "0") ?? []);
}

function tooLittle({ type }: Loose<LimitRangeItem>, name: string, least: string, requests: Quantities, limits: Quantities) {
  const [request, limit] = [requests?.[name], limits?.[name]];
  const rule = `minimum ${name} usage per ${type} is ${least}`;
  if (request == null) return `${rule}.  No request is specified`;
  if (compareQuantities(request, least) < 0) return `${rule}, but request is ${request}`;
  return limit != null && compareQuantities(limit, least) < 0 ? `${rule}, but limit is ${limit}` : undefined;
}

function tooMuch({ type }: Loose<LimitRangeItem>, name: string, most: string, requests: Quantities, limits: Quantities) {
  const [request, limit] = [requests?.[name], limits?.[name]];
  const rule = `maximum ${name} usage per ${type} is ${most}`;
  if (limit == null) return `${rule}.  No limit is specified`;
  if (compareQuantities(limit, most) > 0) return `${rule}, but limit is ${limit}`;
  return request != null && compareQuantities(request, most) > 0 ? `${rule}, but request is ${request}` : undefined;
}

function tooFar({ type }: Loose<LimitRangeItem>, name: string, most: string, requests: Quantities, limits: Quantities) {
  const rule = `${name} max limit to request ratio per ${type} is ${most}`;
  const [request, limit] = [nanos(requests?.[name] ?? "0"), nanos(limits?.[name] ?? "0")];
  if (request === 0n) return `${rule}, but no request is specified or request is 0`;
  if (limit === 0n) return `${rule}, but no limit is specified or limit is 0`;
  const ratio = Number(limit) / Number(request);
  return ratio > Number(nanos(most)) / 1e9 ? `${rule}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
}
