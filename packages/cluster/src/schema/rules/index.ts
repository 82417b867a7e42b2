/**
 * Rules over objects: x-kubernetes-validations. In come schemas with rules; out come validators that run them over
 * objects and their old versions, and what each rule is and may cost, for those who judge CRDs.
 */
export { type DeclaredType, declaredType } from "./declared-type.ts";
export { escapeName } from "./escape.ts";
export { compileRules, maxCardinality, type Rule } from "./rule.ts";
export { hasRules, type RuleValidator, ruleValidator, type Warn } from "./rule-validator.ts";
