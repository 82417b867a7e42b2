import type { LimitRange, LimitRangeItem, PersistentVolumeClaim, Pod } from "pintle/kinds/core/v1";
import type { AdmissionPlugin, AdmissionRequest } from "../../api/index.ts";
import type { ObjectStore } from "../../store/index.ts";
import type { Draft, Unvalidated } from "../draft.ts";
import { sumPodResources } from "../pod-resources.ts";
import { compareQuantities, nanos } from "../quantities.ts";
import { createForbiddenError, createResourcePlugin, listStored } from "./resource-plugin.ts";

type Quantities = Readonly<Record<string, string | null | undefined>> | null | undefined;
type LimitRangeItems = readonly Unvalidated<LimitRangeItem>[];

/** Applies the defaults of the namespace's limit ranges to containers, and enforces their limits. */
export function createLimitRangerPlugins(store: ObjectStore): readonly AdmissionPlugin[] {
  const listLimits = async ({ namespace }: AdmissionRequest): Promise<readonly LimitRangeItems[]> =>
    (await listStored<LimitRange>(store, "", "limitranges", namespace)).map(({ spec }) => spec?.limits ?? []);
  return [
    createResourcePlugin<Pod>("LimitRanger", {
      group: "",
      plural: "pods",
      operations: ["CREATE"],
      async mutate(draft, request) {
        for (const limits of await listLimits(request)) applyDefaults(draft, limits);
      },
      async validate(pod, request) {
        for (const limits of await listLimits(request)) rejectIfViolated(request, findPodViolations(pod, limits));
      },
    }),
    createResourcePlugin<PersistentVolumeClaim>("LimitRanger", {
      group: "",
      plural: "persistentvolumeclaims",
      operations: ["CREATE", "UPDATE"],
      async validate(claim, request) {
        for (const limits of await listLimits(request)) rejectIfViolated(request, findClaimViolations(claim, limits));
      },
    }),
  ];
}

function rejectIfViolated(request: AdmissionRequest, problems: readonly string[]): void {
  if (problems.length > 0)
    throw createForbiddenError(request, problems.length === 1 ? problems[0]! : `[${[...new Set(problems)].join(", ")}]`);
}

function applyDefaults(draft: Draft<Pod>, limits: LimitRangeItems): void {
  const ofContainers = limits.filter(({ type }) => type === "Container");
  const mergeItemDefaults = (list: "default" | "defaultRequest") =>
    Object.assign({}, ...ofContainers.map((item) => item[list])) as Record<string, string>;
  const applied = (["containers", "initContainers"] as const).flatMap((list) =>
    (draft.spec?.[list] ?? []).flatMap((container) => {
      container.resources ??= {};
      const { resources } = container;
      const what = `${list === "containers" ? "container" : "init container"} ${container.name}`;
      return [
        ...setMissingQuantities(resources, "requests", mergeItemDefaults("defaultRequest"), `request for ${what}`),
        ...setMissingQuantities(resources, "limits", mergeItemDefaults("default"), `limit for ${what}`),
      ];
    }),
  );
  if (applied.length === 0) return;
  draft.metadata ??= {};
  draft.metadata.annotations = {
    ...draft.metadata.annotations,
    "kubernetes.io/limit-ranger": `LimitRanger plugin set: ${applied.join("; ")}`,
  };
}

type RequestsAndLimits = { requests?: Quantities; limits?: Quantities };

/** Sets missing quantities and returns a description of them. */
function setMissingQuantities(
  resources: RequestsAndLimits,
  list: "requests" | "limits",
  defaults: Readonly<Record<string, string>>,
  what: string,
): readonly string[] {
  const missing = Object.keys(defaults)
    .filter((name) => resources[list]?.[name] == null)
    .sort();
  if (missing.length === 0) return [];
  resources[list] = { ...resources[list], ...Object.fromEntries(missing.map((name) => [name, defaults[name]!])) };
  return [`${missing.join(", ")} ${what}`];
}

function findPodViolations(pod: Unvalidated<Pod>, limits: LimitRangeItems): readonly string[] {
  return limits.flatMap((item) => {
    if (item.type === "Pod") return findViolations(item, sumPodResources(pod, "requests"), sumPodResources(pod, "limits"));
    if (item.type !== "Container") return [];
    const all = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
    return all.flatMap(({ resources }) => findViolations(item, resources?.requests, resources?.limits));
  });
}

function findClaimViolations({ spec }: Unvalidated<PersistentVolumeClaim>, limits: LimitRangeItems): readonly string[] {
  const requests = spec?.resources?.requests;
  return limits
    .filter(({ type }) => type === "PersistentVolumeClaim")
    .flatMap((item) => [
      ...collectViolations(item.min, (name, least) => describeMinViolation(item, name, least, requests, {})),
      ...collectViolations(item.max, (name, most) => {
        const request = requests?.[name];
        const rule = `maximum ${name} usage per ${item.type} is ${most}`;
        if (request == null) return `${rule}.  No request is specified`;
        return compareQuantities(request, most) > 0 ? `${rule}, but request is ${request}` : undefined;
      }),
    ]);
}

function findViolations(item: Unvalidated<LimitRangeItem>, requests: Quantities, limits: Quantities): readonly string[] {
  return [
    ...collectViolations(item.min, (name, least) => describeMinViolation(item, name, least, requests, limits)),
    ...collectViolations(item.max, (name, most) => describeMaxViolation(item, name, most, requests, limits)),
    ...collectViolations(item.maxLimitRequestRatio, (name, most) => describeRatioViolation(item, name, most, requests, limits)),
  ];
}

function collectViolations(
  quantities: Quantities,
  describeViolation: (name: string, value: string) => string | undefined,
): readonly string[] {
  return Object.entries(quantities ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, value]) => describeViolation(name, value ?? "0") ?? []);
}

function describeMinViolation(
  { type }: Unvalidated<LimitRangeItem>,
  name: string,
  least: string,
  requests: Quantities,
  limits: Quantities,
) {
  const [request, limit] = [requests?.[name], limits?.[name]];
  const rule = `minimum ${name} usage per ${type} is ${least}`;
  if (request == null) return `${rule}.  No request is specified`;
  if (compareQuantities(request, least) < 0) return `${rule}, but request is ${request}`;
  return limit != null && compareQuantities(limit, least) < 0 ? `${rule}, but limit is ${limit}` : undefined;
}

function describeMaxViolation({ type }: Unvalidated<LimitRangeItem>, name: string, most: string, requests: Quantities, limits: Quantities) {
  const [request, limit] = [requests?.[name], limits?.[name]];
  const rule = `maximum ${name} usage per ${type} is ${most}`;
  if (limit == null) return `${rule}.  No limit is specified`;
  if (compareQuantities(limit, most) > 0) return `${rule}, but limit is ${limit}`;
  return request != null && compareQuantities(request, most) > 0 ? `${rule}, but request is ${request}` : undefined;
}

function describeRatioViolation(
  { type }: Unvalidated<LimitRangeItem>,
  name: string,
  most: string,
  requests: Quantities,
  limits: Quantities,
) {
  const rule = `${name} max limit to request ratio per ${type} is ${most}`;
  const [request, limit] = [nanos(requests?.[name] ?? "0"), nanos(limits?.[name] ?? "0")];
  if (request === 0n) return `${rule}, but no request is specified or request is 0`;
  if (limit === 0n) return `${rule}, but no limit is specified or limit is 0`;
  const ratio = Number(limit) / Number(request);
  return ratio > Number(nanos(most)) / 1e9 ? `${rule}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
}
