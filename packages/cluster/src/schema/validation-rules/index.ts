/**
 * Validation rules (x-kubernetes-validations). Takes schemas with rules; returns validators that evaluate the rules on
 * objects and their old versions, and the compiled rules with their estimated costs for CRD validation.
 */

export { type CompiledRule, compileRules, getMaxCardinality } from "./compiled-rule.ts";
export { type DeclaredType, toDeclaredType } from "./declared-type.ts";
export { escapePropertyName } from "./property-names.ts";
export { compileRuleValidator, hasRules, type RuleValidator, type ValidationWarningHandler } from "./rule-validator.ts";
