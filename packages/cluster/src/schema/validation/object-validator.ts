import type { JsonObject } from "pintle/kinds";
import { type FieldError, fieldError } from "../../status/index.ts";
import { createMatchBudget } from "../re2/index.ts";
import type { StructuralSchema } from "../structural/structural-schema.ts";
import { compileRuleValidator, hasRules, type RuleValidator, type ValidationWarningHandler } from "../validation-rules/index.ts";
import { compileEmbeddedResourceCheck } from "./embedded-resource.ts";
import { compileListTypeCheck } from "./list-types.ts";
import { getOldField } from "./ratcheting.ts";
import { type ScalePaths, validateScaleSpec, validateScaleStatus } from "./scale.ts";
import { createValidationResult, toFieldErrors } from "./validation-result.ts";
import { compileValidator } from "./validator.ts";

export interface ObjectValidator {
  /** Validates an object or, with `old`, an update. `warn` receives the errors that validation ratcheting ignores. */
  validate(object: JsonObject, old?: JsonObject, warn?: ValidationWarningHandler): FieldError[];
  validateStatus(object: JsonObject, old: JsonObject, warn?: ValidationWarningHandler): FieldError[];
}

/** Compiles the validation of objects of a CRD version. Errors are in the order of kube-apiserver. */
export function compileObjectValidator(root: StructuralSchema, scale: ScalePaths | undefined): ObjectValidator {
  const check = compileValidator(root);
  const status = root.properties.get("status");
  const checkStatus = status === undefined ? undefined : compileValidator(status);
  const embedded = compileEmbeddedResourceCheck(root, false);
  const listTypes = compileListTypeCheck(root);
  const rules = hasRules(root) ? compileRuleValidator(root, true) : undefined;

  const listTypeErrors = (object: JsonObject): FieldError[] => {
    const errors: FieldError[] = [];
    listTypes?.(object, "", errors);
    return errors;
  };
  /** List type errors are ignored if the old object had some as well. */
  const newListTypeErrors = (object: JsonObject, old: JsonObject | undefined): FieldError[] => {
    const errors = listTypeErrors(object);
    return errors.length > 0 && old !== undefined && listTypeErrors(old).length > 0 ? [] : errors;
  };

  return {
    validate(object, old, warn) {
      const found = createValidationResult(createMatchBudget());
      check(object, "", found, old);
      const errors = found.violations.length === 0 ? [] : toFieldErrors(found.violations);
      if (scale !== undefined) errors.push(...validateScaleSpec(object, scale), ...validateScaleStatus(object, scale));
      embedded?.(object, "", errors);
      errors.push(...newListTypeErrors(object, old));
      errors.push(...evaluateRules(rules, object, old, errors, warn));
      return errors;
    },
    validateStatus(object, old, warn) {
      const errors: FieldError[] = [];
      const value = object["status"];
      if (value !== undefined && checkStatus !== undefined) {
        const found = createValidationResult(createMatchBudget());
        checkStatus(value, "", found, getOldField(old, "status"));
        errors.push(...toFieldErrors(found.violations, "status"));
      }
      if (scale !== undefined) errors.push(...validateScaleStatus(object, scale));
      errors.push(...newListTypeErrors(object, old));
      errors.push(...evaluateRules(rules, object, old, errors, warn));
      return errors;
    },
  };
}

const blockingReasons: ReadonlySet<string> = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);
const rulesNotCheckedMessage =
  "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";

/** Evaluates the rules unless schema errors would invalidate their assumptions. */
function evaluateRules(
  rules: RuleValidator | undefined,
  object: JsonObject,
  old: JsonObject | undefined,
  errors: readonly FieldError[],
  warn: ValidationWarningHandler = () => {},
): FieldError[] {
  if (rules === undefined) return [];
  if (errors.some(({ reason }) => blockingReasons.has(reason))) return [fieldError.invalid("<nil>", null, rulesNotCheckedMessage)];
  return rules.validate(object, old, "", warn);
}
