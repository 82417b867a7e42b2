import { type AdmissionRequest, metadataOf, type ServedResource } from "../../api/index.ts";
import { notFound } from "../../status/index.ts";
import type { Store } from "../../store/index.ts";
import { namespaceOf, type Seen, seenAs } from "../attributes.ts";
import { type LabelSelector, type Labels, selects, selectsAll } from "./label-selector.ts";
import { type Rule, ruleMatches } from "./rule.ts";

/** What a webhook, a policy or a binding is about. */
export interface Criteria {
  readonly rules: readonly Rule[];
  readonly except?: readonly Rule[] | undefined;
  readonly matchPolicy?: string | undefined;
  readonly namespaceSelector?: LabelSelector | undefined;
  readonly objectSelector?: LabelSelector | undefined;
}

/** Rules first: they need nothing but the request, and most requests meet none. Throws 404 for a namespace that is not there. */
export async function match(store: Store, criteria: Criteria, request: AdmissionRequest): Promise<Seen | undefined> {
  const { objectSelector = {}, except = [], matchPolicy } = criteria;
  if (byRules(except, matchPolicy, request) !== undefined) return undefined;
  const seen = byRules(criteria.rules, matchPolicy, request);
  if (seen === undefined) return undefined;
  const { object, live } = request;
  const chosen =
    selectsAll(objectSelector) ||
    [object, live].some((each) => each !== undefined && selects(objectSelector, metadataOf(each).labels ?? {}));
  return chosen && (await inNamespace(store, criteria.namespaceSelector, request)) ? seen : undefined;
}

/** Earlier rules count before later ones; a rule about the resource itself before those about equivalent ones. */
export function byRules(rules: readonly Rule[], matchPolicy: string | undefined, request: AdmissionRequest): Seen | undefined {
  if (rules.some((rule) => ruleMatches(rule, request, request.resource))) return seenAs(request, request.resource);
  if (matchPolicy !== "Equivalent" || rules.length === 0) return undefined;
  const others = request.lookup
    .equivalents(request.resource)
    .filter((each) => isOther(each, request) && hasPart(each, request.subresource));
  for (const rule of rules) {
    const found = others.find((each) => ruleMatches(rule, request, each));
    if (found !== undefined) return seenAs(request, found);
  }
  return undefined;
}

function isOther({ group, version }: ServedResource, { resource }: AdmissionRequest): boolean {
  return group !== resource.group || version !== resource.version;
}

function hasPart({ subresources }: ServedResource, name: string): boolean {
  return name === "" || subresources.some((each) => each.name === name);
}

async function inNamespace(store: Store, selector: LabelSelector | undefined, request: AdmissionRequest): Promise<boolean> {
  const namespace = namespaceOf(request);
  if ((namespace === "" && request.resource.plural !== "namespaces") || selectsAll(selector)) return true;
  return selects(selector as LabelSelector, await namespaceLabels(store, namespace, request));
}

async function namespaceLabels(
  store: Store,
  name: string,
  { resource, operation, subresource, object }: AdmissionRequest,
): Promise<Labels> {
  const itself = resource.plural === "namespaces" && subresource === "" && (operation === "CREATE" || operation === "UPDATE");
  if (itself && object !== undefined) return metadataOf(object).labels ?? {};
  const entry = await store.get(`/registry/namespaces/${name}`);
  if (entry === undefined) throw notFound({ group: "", resource: "namespaces" }, name);
  return metadataOf(entry.value).labels ?? {};
}
