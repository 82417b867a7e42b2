import type { LabelSelector } from "pintle/kinds";
import type { MatchCriteria } from "../matching/match-request.ts";
import type { RuleWithOperations } from "../matching/rule.ts";

/** matchConstraints of a policy, or matchResources of a binding. */
export interface MatchResources {
  readonly resourceRules?: readonly RuleWithOperations[] | undefined;
  readonly excludeResourceRules?: readonly RuleWithOperations[] | undefined;
  readonly matchPolicy?: string | undefined;
  readonly namespaceSelector?: LabelSelector | undefined;
  readonly objectSelector?: LabelSelector | undefined;
}

export interface ParamRef {
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly selector?: LabelSelector | undefined;
  readonly parameterNotFoundAction?: "Allow" | "Deny" | undefined;
}

export interface ParamKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Fields that both kinds of policy have. */
export interface PolicySpec {
  readonly failurePolicy?: "Fail" | "Ignore" | undefined;
  readonly paramKind?: ParamKind | undefined;
  readonly matchConstraints?: MatchResources | undefined;
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[] | undefined;
  readonly variables?: readonly { readonly name: string; readonly expression: string }[] | undefined;
}

export interface PolicyBindingSpec {
  readonly policyName: string;
  readonly paramRef?: ParamRef | undefined;
  readonly matchResources?: MatchResources | undefined;
  readonly validationActions?: readonly ("Deny" | "Warn" | "Audit")[] | undefined;
}

const MATCH_ALL_RULE: RuleWithOperations = { operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"] };

/** Converts match resources to criteria; without rules everything matches. */
export function toMatchCriteria({ resourceRules = [], excludeResourceRules, ...rest }: MatchResources = {}): MatchCriteria {
  return { ...rest, rules: resourceRules.length === 0 ? [MATCH_ALL_RULE] : resourceRules, excludeRules: excludeResourceRules };
}
