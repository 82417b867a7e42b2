import type { JsonObject } from "pintle/kinds";
import { metadataOf } from "../../api/index.ts";
import { type Conditions, conditions } from "../expressions/conditions.ts";
import { type Environment, environment } from "../expressions/environment.ts";
import type { Criteria } from "../matching/match.ts";
import { remembered } from "../remembered.ts";
import { type BindingSpec, criteriaOf, type PolicySpec } from "./stored.ts";

/** A policy that is bound somewhere, compiled. */
export interface PolicyHook<Spec extends PolicySpec, Compiled> {
  readonly name: string;
  readonly spec: Spec;
  readonly criteria: Criteria;
  readonly failurePolicy: "Fail" | "Ignore";
  readonly environment: Environment;
  readonly conditions: Conditions | undefined;
  readonly compiled: Compiled;
  readonly bindings: readonly Binding[];
}

export interface Binding {
  readonly name: string;
  readonly spec: BindingSpec;
  /** Undefined: for whatever the policy is for. */
  readonly criteria: Criteria | undefined;
}

/** Of policies and bindings those hooks that they make; policies without a binding do nothing. */
export type PolicyHooks<Spec extends PolicySpec, Compiled> = (
  policies: readonly JsonObject[],
  bindings: readonly JsonObject[],
) => readonly PolicyHook<Spec, Compiled>[];

/** `compile` makes of a policy what is particular to its kind. */
export function policyHooks<Spec extends PolicySpec, Compiled>(
  compile: (spec: Spec, environment: Environment) => Compiled,
): PolicyHooks<Spec, Compiled> {
  const compiled = remembered((policy: JsonObject) => {
    const spec = policy["spec"] as unknown as Spec;
    const { failurePolicy = "Fail", matchConditions = [] } = spec;
    const within = environment({ params: spec.paramKind !== undefined, composed: true });
    for (const { name, expression } of spec.variables ?? []) within.declare(name, expression);
    return {
      name: metadataOf(policy).name ?? "",
      spec,
      criteria: criteriaOf(spec.matchConstraints),
      failurePolicy,
      environment: within,
      conditions: matchConditions.length === 0 ? undefined : conditions(matchConditions, { failurePolicy, within }),
      compiled: compile(spec, within),
    };
  });
  return (policies, bindings) => {
    const bound = new Map<string, Binding[]>();
    for (const binding of bindings.map(bindingOf)) {
      const { policyName } = binding.spec;
      bound.set(policyName, [...(bound.get(policyName) ?? []), binding]);
    }
    return policies.flatMap((policy) => {
      const own = bound.get(metadataOf(policy).name ?? "");
      return own === undefined ? [] : [{ ...compiled(policy), bindings: own }];
    });
  };
}

function bindingOf(binding: JsonObject): Binding {
  const spec = binding["spec"] as unknown as BindingSpec;
  const { matchResources } = spec;
  return { name: metadataOf(binding).name ?? "", spec, criteria: matchResources === undefined ? undefined : criteriaOf(matchResources) };
}
