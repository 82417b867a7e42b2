import type {
  FlowSchema,
  LimitedPriorityLevelConfiguration,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  PriorityLevelConfiguration,
  QueuingConfiguration,
  ResourcePolicyRule,
  Subject,
} from "pintle/kinds/flowcontrol/v1";
import { fieldError, validateDnsLabel } from "../../../status/index.ts";
import type { Unvalidated } from "../../draft.ts";
import { flowSchemaPrinter, priorityLevelPrinter } from "../../printers/others.ts";
import {
  type FieldErrors,
  printInternal,
  validateDnsLabelField,
  validateDnsSubdomainField,
  validateRequired,
} from "../../validation/validators.ts";
import { defineStrategy } from "../kind-strategy.ts";

const VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"];

export const flowSchemaStrategy = defineStrategy<FlowSchema>({
  validate: function* ({ metadata, spec }) {
    const precedence = spec?.matchingPrecedence ?? 0;
    const at = "spec.matchingPrecedence";
    if (precedence <= 0) yield fieldError.invalid(at, precedence, "must be a positive value");
    if (precedence > 10_000) yield fieldError.invalid(at, precedence, "must not be greater than 10000");
    if (precedence === 1 && metadata?.name !== "exempt") {
      yield fieldError.invalid(at, precedence, "only the schema named 'exempt' may have matchingPrecedence 1");
    }
    const method = spec?.distinguisherMethod;
    if (method && method.type !== "ByUser" && method.type !== "ByNamespace") {
      const internal = printInternal({ Type: method.type ?? "" });
      yield fieldError.notSupported("spec.distinguisherMethod.type", internal, ["ByNamespace", "ByUser"]);
    }
    const level = spec?.priorityLevelConfiguration?.name;
    if (level) yield* validateDnsSubdomainField("spec.priorityLevelConfiguration.name", level);
    else yield fieldError.required("spec.priorityLevelConfiguration.name", "must reference a priority level");
    for (const [i, rule] of (spec?.rules ?? []).entries()) yield* validatePolicyRules(`spec.rules[${i}]`, rule);
  },
  tablePrinter: flowSchemaPrinter,
});

function* validatePolicyRules(
  field: string,
  { subjects, resourceRules, nonResourceRules }: Unvalidated<PolicyRulesWithSubjects>,
): FieldErrors {
  for (const [i, subject] of (subjects ?? []).entries()) yield* validateSubject(`${field}.subjects[${i}]`, subject);
  yield* validateRequired(`${field}.subjects`, subjects ?? [], "subjects must contain at least one value");
  if (!resourceRules?.length && !nonResourceRules?.length) {
    yield fieldError.required(field, "at least one of resourceRules and nonResourceRules has to be non-empty");
  }
  for (const [i, rule] of (resourceRules ?? []).entries()) yield* validateResourceRule(`${field}.resourceRules[${i}]`, rule);
  for (const [i, rule] of (nonResourceRules ?? []).entries()) yield* validateNonResourceRule(`${field}.nonResourceRules[${i}]`, rule);
}

/** The field of each subject kind, in the order in which validation reports the others. */
const SUBJECTS = { ServiceAccount: "serviceAccount", User: "user", Group: "group" } as const;

function* validateSubject(field: string, subject: Unvalidated<Subject>): FieldErrors {
  const kind = subject.kind as keyof typeof SUBJECTS;
  const own = SUBJECTS[kind];
  if (own === undefined) return yield fieldError.notSupported(`${field}.kind`, subject.kind ?? "", ["Group", "ServiceAccount", "User"]);
  const at = `${field}.${own}`;
  const named = subject[own];
  if (!named) yield fieldError.required(at, `${own} is required when subject kind is '${kind}'`);
  else if (!named.name) yield fieldError.required(`${at}.name`);
  else if (own === "serviceAccount" && named.name !== "*") yield* validateDnsSubdomainField(`${at}.name`, named.name);
  if (own === "serviceAccount" && subject.serviceAccount) {
    const { namespace } = subject.serviceAccount;
    if (namespace) yield* validateDnsLabelField(`${at}.namespace`, namespace);
    else yield fieldError.required(`${at}.namespace`, "must specify namespace for service account");
  }
  for (const [other, name] of Object.entries(SUBJECTS)) {
    if (name !== own && subject[name]) {
      yield fieldError.forbidden(`${field}.${name}`, `${name} is forbidden when subject kind is not '${other}'`);
    }
  }
}

type StringList = readonly string[] | null | undefined;

/** Requires that "*" is the only entry of a list. */
function* validateWildcardAlone(field: string, values: StringList, what: string): FieldErrors {
  if (values && values.length > 1 && values.includes("*")) {
    yield fieldError.invalid(field, values, `if '*' is present, must not specify other ${what}`);
  }
}

function* validateVerbs(field: string, values: StringList): FieldErrors {
  yield* validateRequired(field, values ?? [], "verbs must contain at least one value");
  yield* validateWildcardAlone(field, values, "verbs");
  if (values?.some((verb) => verb !== "*" && !VERBS.includes(verb)) && !values.includes("*")) {
    yield fieldError.notSupported(field, values, VERBS);
  }
}

function* validateNonResourceRule(
  field: string,
  { verbs: verbList, nonResourceURLs: urls }: Unvalidated<NonResourcePolicyRule>,
): FieldErrors {
  yield* validateVerbs(`${field}.verbs`, verbList);
  yield* validateRequired(`${field}.nonResourceURLs`, urls ?? [], "nonResourceURLs must contain at least one value");
  yield* validateWildcardAlone(`${field}.nonResourceURLs`, urls, "non-resource URLs");
  if (urls?.includes("*")) return;
  for (const [i, url] of (urls ?? []).entries()) {
    const why = describeUrlError(url);
    if (why !== undefined) yield fieldError.invalid(`${field}.nonResourceURLs[${i}]`, url, why);
  }
}

function describeUrlError(url: string): string | undefined {
  if (url === "") return "must not be empty";
  if (url === "/") return undefined;
  if (!url.startsWith("/")) return "must start with slash";
  if (url.includes(" ")) return "must not contain white-space";
  if (url.includes("//")) return "must not contain double slash";
  return /\*(?!$)|[^/]\*$/.test(url) ? "wildcard can only do suffix matching" : undefined;
}

function* validateResourceRule(field: string, rule: Unvalidated<ResourcePolicyRule>): FieldErrors {
  const { apiGroups, resources, namespaces, clusterScope } = rule;
  yield* validateVerbs(`${field}.verbs`, rule.verbs);
  yield* validateRequired(`${field}.apiGroups`, apiGroups ?? [], "resource rules must supply at least one api group");
  yield* validateWildcardAlone(`${field}.apiGroups`, apiGroups, "api groups");
  yield* validateRequired(`${field}.resources`, resources ?? [], "resource rules must supply at least one resource");
  yield* validateWildcardAlone(`${field}.resources`, resources, "resources");
  const why = "resource rules that are not cluster scoped must supply at least one namespace";
  if (!namespaces?.length && !clusterScope) yield fieldError.required(`${field}.namespaces`, why);
  yield* validateWildcardAlone(`${field}.namespaces`, namespaces, "namespaces");
  if (namespaces?.includes("*")) return;
  for (const [i, namespace] of (namespaces ?? []).entries()) {
    for (const problem of validateDnsLabel(namespace)) {
      const text = `each member of this list must be '*' or a DNS-1123 label; ${problem}`;
      yield fieldError.invalid(`${field}.namespaces[${i}]`, namespace, text);
    }
  }
}

export const priorityLevelConfigurationStrategy = defineStrategy<PriorityLevelConfiguration>({
  validate: function* ({ metadata, spec }) {
    const type = spec?.type ?? "";
    if ((metadata?.name === "exempt") !== (type === "Exempt")) {
      yield fieldError.invalid("spec.type", type, "must be 'Exempt' if and only if `name` is 'exempt'");
    }
    if (type === "") yield fieldError.required("spec.type");
    else if (type === "Exempt") {
      if (spec?.limited) yield fieldError.forbidden("spec.limited", "must be nil if the type is not Limited");
      yield* validateShares("spec.exempt", spec?.exempt ?? {});
    } else if (type === "Limited") {
      if (spec?.exempt) yield fieldError.forbidden("spec.exempt", "must be nil if the type is Limited");
      if (spec?.limited) yield* validateLimitedLevel("spec.limited", spec.limited);
      else yield fieldError.required("spec.limited", "must not be empty when type is Limited");
    } else yield fieldError.notSupported("spec.type", type, ["Exempt", "Limited"]);
  },
  tablePrinter: priorityLevelPrinter,
});

type Shares = { readonly nominalConcurrencyShares?: number | null | undefined; readonly lendablePercent?: number | null | undefined };

function* validateShares(field: string, { nominalConcurrencyShares, lendablePercent }: Shares): FieldErrors {
  if ((nominalConcurrencyShares ?? 0) < 0) {
    yield fieldError.invalid(`${field}.nominalConcurrencyShares`, nominalConcurrencyShares, "must be a non-negative integer");
  }
  if (lendablePercent != null && (lendablePercent < 0 || lendablePercent > 100)) {
    yield fieldError.invalid(`${field}.lendablePercent`, lendablePercent, "must be between 0 and 100, inclusive");
  }
}

function* validateLimitedLevel(field: string, limits: Unvalidated<LimitedPriorityLevelConfiguration>): FieldErrors {
  const { nominalConcurrencyShares, lendablePercent, borrowingLimitPercent: borrowing, limitResponse } = limits;
  yield* validateShares(field, { nominalConcurrencyShares });
  const { type = "", queuing } = limitResponse ?? {};
  const at = `${field}.limitResponse`;
  if (!type) yield fieldError.required(`${at}.type`);
  else if (type === "Reject") {
    if (queuing) yield fieldError.forbidden(`${at}.queuing`, "must be nil if limited.limitResponse.type is not Limited");
  } else if (type !== "Queue") yield fieldError.notSupported(`${at}.type`, type, ["Queue", "Reject"]);
  else if (queuing) yield* validateQueuing(`${at}.queuing`, queuing);
  else yield fieldError.required(`${at}.queuing`, "must not be empty if limited.limitResponse.type is Limited");
  yield* validateShares(field, { lendablePercent });
  if (borrowing != null && borrowing < 0) {
    yield fieldError.invalid(`${field}.borrowingLimitPercent`, borrowing, "if specified, must be a non-negative integer");
  }
}

const MAX_QUEUES = 10_000_000;
const MAX_ENTROPY_BITS = 60;

function* validateQueuing(field: string, { queueLengthLimit, queues: count, handSize }: Unvalidated<QueuingConfiguration>): FieldErrors {
  const [length, deck, hand] = [queueLengthLimit ?? 0, count ?? 0, handSize ?? 0];
  if (length <= 0) yield fieldError.invalid(`${field}.queueLengthLimit`, length, "must be positive");
  if (deck <= 0) yield fieldError.invalid(`${field}.queues`, deck, "must be positive");
  else if (deck > MAX_QUEUES) yield fieldError.invalid(`${field}.queues`, deck, `must not be greater than ${MAX_QUEUES}`);
  const bits = Math.ceil(Math.log2(deck) * hand);
  if (hand <= 0) yield fieldError.invalid(`${field}.handSize`, hand, "must be positive");
  else if (hand > deck) yield fieldError.invalid(`${field}.handSize`, hand, `should not be greater than queues (${deck})`);
  else if (bits > MAX_ENTROPY_BITS) {
    const why = `required entropy bits of deckSize ${deck} and handSize ${hand} should not be greater than ${MAX_ENTROPY_BITS}`;
    yield fieldError.invalid(`${field}.handSize`, hand, why);
  }
}
