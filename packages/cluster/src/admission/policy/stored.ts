import type { LabelSelector } from "../matching/label-selector.ts";
import type { Criteria } from "../matching/match.ts";
import type { Rule } from "../matching/rule.ts";

/** What policies and bindings say about which requests they are for. */
export interface MatchResources {
  readonly resourceRules?: readonly Rule[] | undefined;
  readonly excludeResourceRules?: readonly Rule[] | undefined;
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

/** The fields that all policies have. */
export interface PolicySpec {
  readonly failurePolicy?: "Fail" | "Ignore" | undefined;
  readonly paramKind?: ParamKind | undefined;
  readonly matchConstraints?: MatchResources | undefined;
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[] | undefined;
  readonly variables?: readonly { readonly name: string; readonly expression: string }[] | undefined;
}

export interface BindingSpec {
  readonly policyName: string;
  readonly paramRef?: ParamRef | undefined;
  readonly matchResources?: MatchResources | undefined;
  readonly validationActions?: readonly ("Deny" | "Warn" | "Audit")[] | undefined;
}

const EVERYTHING: Rule = { operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"] };

/** A policy or binding without rules is for everything. */
export function criteriaOf({ resourceRules = [], excludeResourceRules, ...rest }: MatchResources = {}): Criteria {
  return { ...rest, rules: resourceRules.length === 0 ? [EVERYTHING] : resourceRules, except: excludeResourceRules };
}
