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
import { dnsLabelProblems, fieldError } from "../../status/index.ts";
import type { Loose } from "../draft.ts";
import { rules } from "../rules.ts";
import { flowSchemaTable, priorityLevelTable } from "../table/others.ts";
import { dnsLabel, dnsSubdomain, inner, type Problems, required } from "../validate/problems.ts";

const VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"];

export const flowSchema = rules<FlowSchema>({
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
      const shown = inner({ Type: method.type ?? "" });
      yield fieldError.notSupported("spec.distinguisherMethod.type", shown, ["ByNamespace", "ByUser"]);
    }
    const level = spec?.priorityLevelConfiguration?.name;
    if (level) yield* dnsSubdomain("spec.priorityLevelConfiguration.name", level);
    else yield fieldError.required("spec.priorityLevelConfiguration.name", "must reference a priority level");
    for (const [i, rule] of (spec?.rules ?? []).entries()) yield* policyRules(`spec.rules[${i}]`, rule);
  },
  table: flowSchemaTable,
});

function* policyRules(field: string, { subjects, resourceRules, nonResourceRules }: Loose<PolicyRulesWithSubjects>): Problems {
  for (const [i, subject] of (subjects ?? []).entries()) yield* subjectProblems(`${field}.subjects[${i}]`, subject);
  yield* required(`${field}.subjects`, subjects ?? [], "subjects must contain at least one value");
  if (!resourceRules?.length && !nonResourceRules?.length) {
    yield fieldError.required(field, "at least one of resourceRules and nonResourceRules has to be non-empty");
  }
  for (const [i, rule] of (resourceRules ?? []).entries()) yield* resourceRule(`${field}.resourceRules[${i}]`, rule);
  for (const [i, rule] of (nonResourceRules ?? []).entries()) yield* nonResourceRule(`${field}.nonResourceRules[${i}]`, rule);
}

/** The field that goes with a kind of subject, in the order in which the others are refused. */
const SUBJECTS = { ServiceAccount: "serviceAccount", User: "user", Group: "group" } as const;

function* subjectProblems(field: string, subject: Loose<Subject>): Problems {
  const kind = subject.kind as keyof typeof SUBJECTS;
  const own = SUBJECTS[kind];
  if (own === undefined) return yield fieldError.notSupported(`${field}.kind`, subject.kind ?? "", ["Group", "ServiceAccount", "User"]);
  const at = `${field}.${own}`;
  const named = subject[own];
  if (!named) yield fieldError.required(at, `${own} is required when subject kind is '${kind}'`);
  else if (!named.name) yield fieldError.required(`${at}.name`);
  else if (own === "serviceAccount" && named.name !== "*") yield* dnsSubdomain(`${at}.name`, named.name);
  if (own === "serviceAccount" && subject.serviceAccount) {
    const { namespace } = subject.serviceAccount;
    if (namespace) yield* dnsLabel(`${at}.namespace`, namespace);
    else yield fieldError.required(`${at}.namespace`, "must specify namespace for service account");
  }
  for (const [other, name] of Object.entries(SUBJECTS)) {
    if (name !== own && subject[name]) {
      yield fieldError.forbidden(`${field}.${name}`, `${name} is forbidden when subject kind is not '${other}'`);
    }
  }
}

type Texts = readonly string[] | null | undefined;

/** "*" stands for all, and so stands alone. */
function* alone(field: string, values: Texts, what: string): Problems {
  if (values && values.length > 1 && values.includes("*")) {
    yield fieldError.invalid(field, values, `if '*' is present, must not specify other ${what}`);
  }
}

function* verbs(field: string, values: Texts): Problems {
  yield* required(field, values ?? [], "verbs must contain at least one value");
  yield* alone(field, values, "verbs");
  if (values?.some((verb) => verb !== "*" && !VERBS.includes(verb)) && !values.includes("*")) {
    yield fieldError.notSupported(field, values, VERBS);
  }
}

function* nonResourceRule(field: string, { verbs: verbList, nonResourceURLs: urls }: Loose<NonResourcePolicyRule>): Problems {
  yield* verbs(`${field}.verbs`, verbList);
  yield* required(`${field}.nonResourceURLs`, urls ?? [], "nonResourceURLs must contain at least one value");
  yield* alone(`${field}.nonResourceURLs`, urls, "non-resource URLs");
  if (urls?.includes("*")) return;
  for (const [i, url] of (urls ?? []).entries()) {
    const why = urlProblem(url);
    if (why !== undefined) yield fieldError.invalid(`${field}.nonResourceURLs[${i}]`, url, why);
  }
}

function urlProblem(url: string): string | undefined {
  if (url === "") return "must not be empty";
  if (url === "/") return undefined;
  if (!url.startsWith("/")) return "must start with slash";
  if (url.includes(" ")) return "must not contain white-space";
  if (url.includes("//")) return "must not contain double slash";
  return /\*(?!$)|[^/]\*$/.test(url) ? "wildcard can only do suffix matching" : undefined;
}

function* resourceRule(field: string, rule: Loose<ResourcePolicyRule>): Problems {
  const { apiGroups, resources, namespaces, clusterScope } = rule;
  yield* verbs(`${field}.verbs`, rule.verbs);
  yield* required(`${field}.apiGroups`, apiGroups ?? [], "resource rules must supply at least one api group");
  yield* alone(`${field}.apiGroups`, apiGroups, "api groups");
  yield* required(`${field}.resources`, resources ?? [], "resource rules must supply at least one resource");
  yield* alone(`${field}.resources`, resources, "resources");
  const why = "resource rules that are not cluster scoped must supply at least one namespace";
  if (!namespaces?.length && !clusterScope) yield fieldError.required(`${field}.namespaces`, why);
  yield* alone(`${field}.namespaces`, namespaces, "namespaces");
  if (namespaces?.includes("*")) return;
  for (const [i, namespace] of (namespaces ?? []).entries()) {
    for (const problem of dnsLabelProblems(namespace)) {
      const text = `each member of this list must be '*' or a DNS-1123 label; ${problem}`;
      yield fieldError.invalid(`${field}.namespaces[${i}]`, namespace, text);
    }
  }
}

export const priorityLevelConfiguration = rules<PriorityLevelConfiguration>({
  validate: function* ({ metadata, spec }) {
    const type = spec?.type ?? "";
    if ((metadata?.name === "exempt") !== (type === "Exempt")) {
      yield fieldError.invalid("spec.type", type, "must be 'Exempt' if and only if `name` is 'exempt'");
    }
    if (type === "") yield fieldError.required("spec.type");
    else if (type === "Exempt") {
      if (spec?.limited) yield fieldError.forbidden("spec.limited", "must be nil if the type is not Limited");
      yield* shares("spec.exempt", spec?.exempt ?? {});
    } else if (type === "Limited") {
      if (spec?.exempt) yield fieldError.forbidden("spec.exempt", "must be nil if the type is Limited");
      if (spec?.limited) yield* limited("spec.limited", spec.limited);
      else yield fieldError.required("spec.limited", "must not be empty when type is Limited");
    } else yield fieldError.notSupported("spec.type", type, ["Exempt", "Limited"]);
  },
  table: priorityLevelTable,
});

type Shares = { readonly nominalConcurrencyShares?: number | null | undefined; readonly lendablePercent?: number | null | undefined };

function* shares(field: string, { nominalConcurrencyShares, lendablePercent }: Shares): Problems {
  if ((nominalConcurrencyShares ?? 0) < 0) {
    yield fieldError.invalid(`${field}.nominalConcurrencyShares`, nominalConcurrencyShares, "must be a non-negative integer");
  }
  if (lendablePercent != null && (lendablePercent < 0 || lendablePercent > 100)) {
    yield fieldError.invalid(`${field}.lendablePercent`, lendablePercent, "must be between 0 and 100, inclusive");
  }
}

function* limited(field: string, limits: Loose<LimitedPriorityLevelConfiguration>): Problems {
  const { nominalConcurrencyShares, lendablePercent, borrowingLimitPercent: borrowing, limitResponse } = limits;
  yield* shares(field, { nominalConcurrencyShares });
  const { type = "", queuing } = limitResponse ?? {};
  const at = `${field}.limitResponse`;
  if (!type) yield fieldError.required(`${at}.type`);
  else if (type === "Reject") {
    if (queuing) yield fieldError.forbidden(`${at}.queuing`, "must be nil if limited.limitResponse.type is not Limited");
  } else if (type !== "Queue") yield fieldError.notSupported(`${at}.type`, type, ["Queue", "Reject"]);
  else if (queuing) yield* queues(`${at}.queuing`, queuing);
  else yield fieldError.required(`${at}.queuing`, "must not be empty if limited.limitResponse.type is Limited");
  yield* shares(field, { lendablePercent });
  if (borrowing != null && borrowing < 0) {
    yield fieldError.invalid(`${field}.borrowingLimitPercent`, borrowing, "if specified, must be a non-negative integer");
  }
}

const MOST_QUEUES = 10_000_000;
const MOST_BITS = 60;

function* queues(field: string, { queueLengthLimit, queues: count, handSize }: Loose<QueuingConfiguration>): Problems {
  const [length, deck, hand] = [queueLengthLimit ?? 0, count ?? 0, handSize ?? 0];
  if (length <= 0) yield fieldError.invalid(`${field}.queueLengthLimit`, length, "must be positive");
  if (deck <= 0) yield fieldError.invalid(`${field}.queues`, deck, "must be positive");
  else if (deck > MOST_QUEUES) yield fieldError.invalid(`${field}.queues`, deck, `must not be greater than ${MOST_QUEUES}`);
  const bits = Math.ceil(Math.log2(deck) * hand);
  if (hand <= 0) yield fieldError.invalid(`${field}.handSize`, hand, "must be positive");
  else if (hand > deck) yield fieldError.invalid(`${field}.handSize`, hand, `should not be greater than queues (${deck})`);
  else if (bits > MOST_BITS) {
    const why = `required entropy bits of deckSize ${deck} and handSize ${hand} should not be greater than ${MOST_BITS}`;
    yield fieldError.invalid(`${field}.handSize`, hand, why);
  }
}
