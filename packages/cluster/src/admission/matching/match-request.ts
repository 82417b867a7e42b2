import { isEmptyLabelSelector, type Labels, matchesLabelSelector } from "pintle/internal/selectors";
import type { LabelSelector } from "pintle/kinds";
import { type AdmissionRequest, getMetadata, type ServedResource } from "../../api/index.ts";
import { notFound } from "../../status/index.ts";
import type { ObjectStore } from "../../store/index.ts";
import { getRequestNamespace, type MatchedResource, toMatchedResource } from "../attributes.ts";
import { matchesRule, type RuleWithOperations } from "./rule.ts";

/** Match criteria of a webhook, policy or binding. */
export interface MatchCriteria {
  readonly rules: readonly RuleWithOperations[];
  readonly excludeRules?: readonly RuleWithOperations[] | undefined;
  readonly matchPolicy?: string | undefined;
  readonly namespaceSelector?: LabelSelector | undefined;
  readonly objectSelector?: LabelSelector | undefined;
}

/**
 * Returns the matched resource version, or undefined. Checks the rules first: they need only the request, and most requests match none.
 * Throws 404 if the namespace does not exist.
 */
export async function matchRequest(
  store: ObjectStore,
  criteria: MatchCriteria,
  request: AdmissionRequest,
): Promise<MatchedResource | undefined> {
  const { objectSelector = {}, excludeRules = [], matchPolicy } = criteria;
  if (matchRules(excludeRules, matchPolicy, request) !== undefined) return undefined;
  const matched = matchRules(criteria.rules, matchPolicy, request);
  if (matched === undefined) return undefined;
  const { object, live } = request;
  const chosen =
    isEmptyLabelSelector(objectSelector) ||
    [object, live].some((each) => each !== undefined && matchesLabelSelector(objectSelector, getMetadata(each).labels ?? {}));
  return chosen && (await matchesNamespace(store, criteria.namespaceSelector, request)) ? matched : undefined;
}

/** Matches rules in order; a match of the requested resource takes precedence over an equivalent one. */
export function matchRules(
  rules: readonly RuleWithOperations[],
  matchPolicy: string | undefined,
  request: AdmissionRequest,
): MatchedResource | undefined {
  if (rules.some((rule) => matchesRule(rule, request, request.resource))) return toMatchedResource(request, request.resource);
  if (matchPolicy !== "Equivalent" || rules.length === 0) return undefined;
  const others = request.lookup
    .findEquivalents(request.resource)
    .filter((each) => isOtherVersion(each, request) && hasSubresource(each, request.subresource));
  for (const rule of rules) {
    const found = others.find((each) => matchesRule(rule, request, each));
    if (found !== undefined) return toMatchedResource(request, found);
  }
  return undefined;
}

function isOtherVersion({ group, version }: ServedResource, { resource }: AdmissionRequest): boolean {
  return group !== resource.group || version !== resource.version;
}

function hasSubresource({ subresources }: ServedResource, name: string): boolean {
  return name === "" || subresources.some((each) => each.name === name);
}

async function matchesNamespace(store: ObjectStore, selector: LabelSelector | undefined, request: AdmissionRequest): Promise<boolean> {
  const namespace = getRequestNamespace(request);
  if ((namespace === "" && request.resource.plural !== "namespaces") || isEmptyLabelSelector(selector)) return true;
  return matchesLabelSelector(selector as LabelSelector, await getNamespaceLabels(store, namespace, request));
}

async function getNamespaceLabels(
  store: ObjectStore,
  name: string,
  { resource, operation, subresource, object }: AdmissionRequest,
): Promise<Labels> {
  const itself = resource.plural === "namespaces" && subresource === "" && (operation === "CREATE" || operation === "UPDATE");
  if (itself && object !== undefined) return getMetadata(object).labels ?? {};
  const entry = await store.get(`/registry/namespaces/${name}`);
  if (entry === undefined) throw notFound({ group: "", resource: "namespaces" }, name);
  return getMetadata(entry.value).labels ?? {};
}
