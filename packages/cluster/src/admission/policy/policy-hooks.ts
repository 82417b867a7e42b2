import { memoize } from "pintle/internal/memoize";
import type { JsonObject } from "pintle/kinds";
import { getMetadata } from "../../api/index.ts";
import { createExpressionEnvironment, type ExpressionEnvironment } from "../expressions/environment.ts";
import { compileMatchConditions, type MatchConditions } from "../expressions/match-conditions.ts";
import type { MatchCriteria } from "../matching/match-request.ts";
import { type PolicyBindingSpec, type PolicySpec, toMatchCriteria } from "./policy-spec.ts";

/** A compiled policy with its bindings. */
export interface PolicyHook<Spec extends PolicySpec, Compiled> {
  readonly name: string;
  readonly spec: Spec;
  readonly criteria: MatchCriteria;
  readonly failurePolicy: "Fail" | "Ignore";
  readonly environment: ExpressionEnvironment;
  readonly matchConditions: MatchConditions | undefined;
  readonly compiled: Compiled;
  readonly bindings: readonly PolicyBinding[];
}

export interface PolicyBinding {
  readonly name: string;
  readonly spec: PolicyBindingSpec;
  /** Undefined: every request that matches the policy. */
  readonly criteria: MatchCriteria | undefined;
}

/** Compiles policies and bindings; policies without a binding have no effect. */
export type PolicyHookCompiler<Spec extends PolicySpec, Compiled> = (
  policies: readonly JsonObject[],
  bindings: readonly JsonObject[],
) => readonly PolicyHook<Spec, Compiled>[];

/** Creates a compiler; `compile` compiles the part that is specific to the kind of policy. */
export function createPolicyHookCompiler<Spec extends PolicySpec, Compiled>(
  compile: (spec: Spec, environment: ExpressionEnvironment) => Compiled,
): PolicyHookCompiler<Spec, Compiled> {
  const compiled = memoize((policy: JsonObject) => {
    const spec = policy["spec"] as unknown as Spec;
    const { failurePolicy = "Fail", matchConditions = [] } = spec;
    const environment = createExpressionEnvironment({ hasParams: spec.paramKind !== undefined, hasVariables: true });
    for (const { name, expression } of spec.variables ?? []) environment.declareVariable(name, expression);
    return {
      name: getMetadata(policy).name ?? "",
      spec,
      criteria: toMatchCriteria(spec.matchConstraints),
      failurePolicy,
      environment: environment,
      matchConditions: matchConditions.length === 0 ? undefined : compileMatchConditions(matchConditions, { failurePolicy, environment }),
      compiled: compile(spec, environment),
    };
  });
  return (policies, bindings) => {
    const bound = new Map<string, PolicyBinding[]>();
    for (const binding of bindings.map(toPolicyBinding)) {
      const { policyName } = binding.spec;
      bound.set(policyName, [...(bound.get(policyName) ?? []), binding]);
    }
    return policies.flatMap((policy) => {
      const own = bound.get(getMetadata(policy).name ?? "");
      return own === undefined ? [] : [{ ...compiled(policy), bindings: own }];
    });
  };
}

function toPolicyBinding(binding: JsonObject): PolicyBinding {
  const spec = binding["spec"] as unknown as PolicyBindingSpec;
  const { matchResources } = spec;
  return {
    name: getMetadata(binding).name ?? "",
    spec,
    criteria: matchResources === undefined ? undefined : toMatchCriteria(matchResources),
  };
}
