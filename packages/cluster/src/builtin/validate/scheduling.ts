import type {
  Affinity,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinityTerm,
  Toleration,
  TopologySpreadConstraint,
} from "pintle/kinds/core/v1";
import { fieldError, labelValueProblems } from "../../status/index.ts";
import type { Loose } from "../draft.ts";
import { labelSelector } from "./labels.ts";
import { dnsLabel, dnsSubdomain, invalidFor, maybeOneOf, type Problems, qualifiedName } from "./problems.ts";

const EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

export function* affinity(field: string, of: Loose<Affinity> | null | undefined): Problems {
  const node = of?.nodeAffinity;
  const at = `${field}.nodeAffinity`;
  const required = node?.requiredDuringSchedulingIgnoredDuringExecution;
  if (required) yield* nodeSelector(`${at}.requiredDuringSchedulingIgnoredDuringExecution`, required);
  for (const [i, term] of (node?.preferredDuringSchedulingIgnoredDuringExecution ?? []).entries()) {
    const preferred = `${at}.preferredDuringSchedulingIgnoredDuringExecution[${i}]`;
    yield* weight(`${preferred}.weight`, term.weight);
    if (term.preference) yield* nodeSelectorTerm(`${preferred}.preference`, term.preference, false);
  }
  yield* podAffinity(`${field}.podAffinity`, of?.podAffinity);
  yield* podAffinity(`${field}.podAntiAffinity`, of?.podAntiAffinity);
}

function* weight(field: string, value: number | null | undefined): Problems {
  if (value == null || value <= 0 || value > 100) yield fieldError.invalid(field, value ?? 0, "must be in the range 1-100");
}

export function* nodeSelector(field: string, { nodeSelectorTerms }: Loose<NodeSelector>): Problems {
  const at = `${field}.nodeSelectorTerms`;
  if (!nodeSelectorTerms?.length) return yield fieldError.required(at, "must have at least one node selector term");
  for (const [i, term] of nodeSelectorTerms.entries()) yield* nodeSelectorTerm(`${at}[${i}]`, term, true);
}

function* nodeSelectorTerm(field: string, term: Loose<NodeSelectorTerm>, checkValues: boolean): Problems {
  for (const [i, each] of (term.matchExpressions ?? []).entries()) {
    yield* nodeRequirement(`${field}.matchExpressions[${i}]`, each, checkValues);
  }
  for (const [i, each] of (term.matchFields ?? []).entries()) yield* nodeField(`${field}.matchFields[${i}]`, each);
}

function* nodeRequirement(field: string, of: Loose<NodeSelectorRequirement>, checkValues: boolean): Problems {
  const { key, operator, values } = of;
  const count = values?.length ?? 0;
  if (operator === "In" || operator === "NotIn") {
    if (count === 0) yield fieldError.required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'");
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (count > 0) yield fieldError.forbidden(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  } else if (operator === "Gt" || operator === "Lt") {
    if (count !== 1) yield fieldError.required(`${field}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'");
  } else yield fieldError.invalid(`${field}.operator`, operator ?? "", "not a valid selector operator");
  yield* qualifiedName(`${field}.key`, key ?? "");
  if (!checkValues) return;
  for (const [i, value] of (values ?? []).entries()) yield* invalidFor(`${field}.values[${i}]`, value, labelValueProblems(value));
}

function* nodeField(field: string, { key, operator, values }: Loose<NodeSelectorRequirement>): Problems {
  if (operator !== "In" && operator !== "NotIn") {
    yield fieldError.invalid(`${field}.operator`, operator ?? "", "not a valid selector operator");
  } else if (values?.length !== 1) {
    yield fieldError.required(`${field}.values`, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
  }
  if (key !== "metadata.name") yield fieldError.invalid(`${field}.key`, key ?? "", "not a valid field selector key");
  else for (const [i, value] of (values ?? []).entries()) yield* dnsSubdomain(`${field}.values[${i}]`, value);
}

function* podAffinity(field: string, of: Loose<Affinity>["podAffinity"]): Problems {
  for (const [i, term] of (of?.requiredDuringSchedulingIgnoredDuringExecution ?? []).entries()) {
    yield* podTerm(`${field}.requiredDuringSchedulingIgnoredDuringExecution[${i}]`, term);
  }
  for (const [i, term] of (of?.preferredDuringSchedulingIgnoredDuringExecution ?? []).entries()) {
    const at = `${field}.preferredDuringSchedulingIgnoredDuringExecution[${i}]`;
    yield* weight(`${at}.weight`, term.weight);
    yield* podTerm(`${at}.podAffinityTerm`, term.podAffinityTerm ?? {});
  }
}

function* podTerm(field: string, term: Loose<PodAffinityTerm>): Problems {
  yield* labelSelector(`${field}.labelSelector`, term.labelSelector);
  yield* labelSelector(`${field}.namespaceSelector`, term.namespaceSelector);
  for (const name of term.namespaces ?? []) yield* dnsLabel(`${field}.namespace`, name);
  if (!term.topologyKey) yield fieldError.required(`${field}.topologyKey`, "can not be empty");
  yield* qualifiedName(`${field}.topologyKey`, term.topologyKey ?? "");
}

export function* tolerations(field: string, all: readonly Loose<Toleration>[] | null | undefined): Problems {
  for (const [i, { key, operator, value, effect, tolerationSeconds }] of (all ?? []).entries()) {
    const at = `${field}[${i}]`;
    if (key) yield* qualifiedName(`${at}.key`, key);
    else if (operator !== "Exists") {
      const why = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
      yield fieldError.invalid(`${at}.operator`, operator ?? "", why);
    }
    if (tolerationSeconds != null && effect !== "NoExecute") {
      yield fieldError.invalid(`${at}.effect`, effect ?? "", "effect must be 'NoExecute' when `tolerationSeconds` is set");
    }
    if (!operator || operator === "Equal") {
      const problems = labelValueProblems(value ?? "");
      if (problems.length > 0) yield fieldError.invalid(`${at}.operator`, value, problems.join(";"));
    } else if (operator === "Exists") {
      if (value) yield fieldError.invalid(`${at}.operator`, value, "value must be empty when `operator` is 'Exists'");
    } else if (operator === "Lt" || operator === "Gt") {
      yield fieldError.notSupported(`${at}.operator`, operator, ["Equal", "Exists", "Lt", "Gt"]);
    } else yield fieldError.notSupported(`${at}.operator`, operator, ["Equal", "Exists"]);
    if (effect) yield* taintEffect(`${at}.effect`, effect);
  }
}

export function* taintEffect(field: string, effect: string | null | undefined): Problems {
  if (!effect) yield fieldError.required(field);
  else if (!EFFECTS.includes(effect)) yield fieldError.notSupported(field, effect, EFFECTS);
}

type Constraints = readonly Loose<TopologySpreadConstraint>[] | null | undefined;

export function* topologySpread(field: string, constraints: Constraints): Problems {
  for (const [i, constraint] of (constraints ?? []).entries()) {
    const at = `${field}[${i}]`;
    const { maxSkew = 0, topologyKey, whenUnsatisfiable, minDomains } = constraint;
    if ((maxSkew ?? 0) <= 0) yield fieldError.invalid(`${at}.maxSkew`, maxSkew, "must be greater than zero");
    if (!topologyKey) yield fieldError.required(`${at}.topologyKey`, "can not be empty");
    if (whenUnsatisfiable !== "DoNotSchedule" && whenUnsatisfiable !== "ScheduleAnyway") {
      yield fieldError.notSupported(`${at}.whenUnsatisfiable`, whenUnsatisfiable ?? "", ["DoNotSchedule", "ScheduleAnyway"]);
    }
    const again = constraints!
      .slice(i + 1)
      .some((other) => other.topologyKey === topologyKey && other.whenUnsatisfiable === whenUnsatisfiable);
    if (again) yield fieldError.duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${topologyKey}, ${whenUnsatisfiable}}`);
    if (minDomains != null) {
      if (minDomains <= 0) yield fieldError.invalid(`${at}.minDomains`, minDomains, "must be greater than zero");
      if (whenUnsatisfiable !== "DoNotSchedule") {
        const why = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`;
        yield fieldError.invalid(`${at}.minDomains`, minDomains, why);
      }
    }
    yield* maybeOneOf(`${at}.nodeAffinityPolicy`, constraint.nodeAffinityPolicy, ["Honor", "Ignore"]);
    yield* maybeOneOf(`${at}.nodeTaintsPolicy`, constraint.nodeTaintsPolicy, ["Honor", "Ignore"]);
    if (constraint.matchLabelKeys?.length && !constraint.labelSelector) {
      yield fieldError.forbidden(`${at}.matchLabelKeys`, "must not be specified when labelSelector is not set");
    }
    yield* labelSelector(`${at}.labelSelector`, constraint.labelSelector);
  }
}
