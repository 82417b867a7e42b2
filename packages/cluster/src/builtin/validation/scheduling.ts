import type {
  Affinity,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinityTerm,
  Toleration,
  TopologySpreadConstraint,
} from "pintle/kinds/core/v1";
import { fieldError, validateLabelValue } from "../../status/index.ts";
import type { Unvalidated } from "../draft.ts";
import { validateLabelSelector } from "./labels.ts";
import {
  createInvalidErrors,
  type FieldErrors,
  validateDnsLabelField,
  validateDnsSubdomainField,
  validateEnum,
  validateQualifiedNameField,
} from "./validators.ts";

const TAINT_EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

export function* validateAffinity(field: string, of: Unvalidated<Affinity> | null | undefined): FieldErrors {
  const node = of?.nodeAffinity;
  const at = `${field}.nodeAffinity`;
  const required = node?.requiredDuringSchedulingIgnoredDuringExecution;
  if (required) yield* validateNodeSelector(`${at}.requiredDuringSchedulingIgnoredDuringExecution`, required);
  for (const [i, term] of (node?.preferredDuringSchedulingIgnoredDuringExecution ?? []).entries()) {
    const preferred = `${at}.preferredDuringSchedulingIgnoredDuringExecution[${i}]`;
    yield* validateWeight(`${preferred}.weight`, term.weight);
    if (term.preference) yield* validateNodeSelectorTerm(`${preferred}.preference`, term.preference, false);
  }
  yield* validatePodAffinity(`${field}.podAffinity`, of?.podAffinity);
  yield* validatePodAffinity(`${field}.podAntiAffinity`, of?.podAntiAffinity);
}

function* validateWeight(field: string, value: number | null | undefined): FieldErrors {
  if (value == null || value <= 0 || value > 100) yield fieldError.invalid(field, value ?? 0, "must be in the range 1-100");
}

export function* validateNodeSelector(field: string, { nodeSelectorTerms }: Unvalidated<NodeSelector>): FieldErrors {
  const at = `${field}.nodeSelectorTerms`;
  if (!nodeSelectorTerms?.length) return yield fieldError.required(at, "must have at least one node selector term");
  for (const [i, term] of nodeSelectorTerms.entries()) yield* validateNodeSelectorTerm(`${at}[${i}]`, term, true);
}

function* validateNodeSelectorTerm(field: string, term: Unvalidated<NodeSelectorTerm>, checkValues: boolean): FieldErrors {
  for (const [i, each] of (term.matchExpressions ?? []).entries()) {
    yield* validateNodeSelectorRequirement(`${field}.matchExpressions[${i}]`, each, checkValues);
  }
  for (const [i, each] of (term.matchFields ?? []).entries()) yield* validateNodeFieldRequirement(`${field}.matchFields[${i}]`, each);
}

function* validateNodeSelectorRequirement(field: string, of: Unvalidated<NodeSelectorRequirement>, checkValues: boolean): FieldErrors {
  const { key, operator, values } = of;
  const count = values?.length ?? 0;
  if (operator === "In" || operator === "NotIn") {
    if (count === 0) yield fieldError.required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'");
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (count > 0) yield fieldError.forbidden(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  } else if (operator === "Gt" || operator === "Lt") {
    if (count !== 1) yield fieldError.required(`${field}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'");
  } else yield fieldError.invalid(`${field}.operator`, operator ?? "", "not a valid selector operator");
  yield* validateQualifiedNameField(`${field}.key`, key ?? "");
  if (!checkValues) return;
  for (const [i, value] of (values ?? []).entries()) yield* createInvalidErrors(`${field}.values[${i}]`, value, validateLabelValue(value));
}

function* validateNodeFieldRequirement(field: string, { key, operator, values }: Unvalidated<NodeSelectorRequirement>): FieldErrors {
  if (operator !== "In" && operator !== "NotIn") {
    yield fieldError.invalid(`${field}.operator`, operator ?? "", "not a valid selector operator");
  } else if (values?.length !== 1) {
    yield fieldError.required(`${field}.values`, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
  }
  if (key !== "metadata.name") yield fieldError.invalid(`${field}.key`, key ?? "", "not a valid field selector key");
  else for (const [i, value] of (values ?? []).entries()) yield* validateDnsSubdomainField(`${field}.values[${i}]`, value);
}

function* validatePodAffinity(field: string, of: Unvalidated<Affinity>["podAffinity"]): FieldErrors {
  for (const [i, term] of (of?.requiredDuringSchedulingIgnoredDuringExecution ?? []).entries()) {
    yield* validatePodAffinityTerm(`${field}.requiredDuringSchedulingIgnoredDuringExecution[${i}]`, term);
  }
  for (const [i, term] of (of?.preferredDuringSchedulingIgnoredDuringExecution ?? []).entries()) {
    const at = `${field}.preferredDuringSchedulingIgnoredDuringExecution[${i}]`;
    yield* validateWeight(`${at}.weight`, term.weight);
    yield* validatePodAffinityTerm(`${at}.podAffinityTerm`, term.podAffinityTerm ?? {});
  }
}

function* validatePodAffinityTerm(field: string, term: Unvalidated<PodAffinityTerm>): FieldErrors {
  yield* validateLabelSelector(`${field}.labelSelector`, term.labelSelector);
  yield* validateLabelSelector(`${field}.namespaceSelector`, term.namespaceSelector);
  for (const name of term.namespaces ?? []) yield* validateDnsLabelField(`${field}.namespace`, name);
  if (!term.topologyKey) yield fieldError.required(`${field}.topologyKey`, "can not be empty");
  yield* validateQualifiedNameField(`${field}.topologyKey`, term.topologyKey ?? "");
}

export function* validateTolerations(field: string, all: readonly Unvalidated<Toleration>[] | null | undefined): FieldErrors {
  for (const [i, { key, operator, value, effect, tolerationSeconds }] of (all ?? []).entries()) {
    const at = `${field}[${i}]`;
    if (key) yield* validateQualifiedNameField(`${at}.key`, key);
    else if (operator !== "Exists") {
      const why = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
      yield fieldError.invalid(`${at}.operator`, operator ?? "", why);
    }
    if (tolerationSeconds != null && effect !== "NoExecute") {
      yield fieldError.invalid(`${at}.effect`, effect ?? "", "effect must be 'NoExecute' when `tolerationSeconds` is set");
    }
    if (!operator || operator === "Equal") {
      const problems = validateLabelValue(value ?? "");
      if (problems.length > 0) yield fieldError.invalid(`${at}.operator`, value, problems.join(";"));
    } else if (operator === "Exists") {
      if (value) yield fieldError.invalid(`${at}.operator`, value, "value must be empty when `operator` is 'Exists'");
    } else if (operator === "Lt" || operator === "Gt") {
      yield fieldError.notSupported(`${at}.operator`, operator, ["Equal", "Exists", "Lt", "Gt"]);
    } else yield fieldError.notSupported(`${at}.operator`, operator, ["Equal", "Exists"]);
    if (effect) yield* validateTaintEffect(`${at}.effect`, effect);
  }
}

export function* validateTaintEffect(field: string, effect: string | null | undefined): FieldErrors {
  if (!effect) yield fieldError.required(field);
  else if (!TAINT_EFFECTS.includes(effect)) yield fieldError.notSupported(field, effect, TAINT_EFFECTS);
}

type Constraints = readonly Unvalidated<TopologySpreadConstraint>[] | null | undefined;

export function* validateTopologySpread(field: string, constraints: Constraints): FieldErrors {
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
    yield* validateEnum(`${at}.nodeAffinityPolicy`, constraint.nodeAffinityPolicy, ["Honor", "Ignore"]);
    yield* validateEnum(`${at}.nodeTaintsPolicy`, constraint.nodeTaintsPolicy, ["Honor", "Ignore"]);
    if (constraint.matchLabelKeys?.length && !constraint.labelSelector) {
      yield fieldError.forbidden(`${at}.matchLabelKeys`, "must not be specified when labelSelector is not set");
    }
    yield* validateLabelSelector(`${at}.labelSelector`, constraint.labelSelector);
  }
}
