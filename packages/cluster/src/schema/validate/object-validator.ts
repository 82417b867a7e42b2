import type { JsonObject } from "pintle/kinds";
import { type FieldError, fieldError } from "../../status/index.ts";
import { hasRules, type RuleValidator, ruleValidator, type Warn } from "../rules/index.ts";
import type { Structural } from "../structural.ts";
import { embeddedCheck } from "./embedded.ts";
import { listTypeCheck } from "./list-types.ts";
import { fieldErrors, findings } from "./problem.ts";
import { oldField } from "./ratchet.ts";
import { type ScalePaths, scaleSpecErrors, scaleStatusErrors } from "./scale.ts";
import { validator } from "./validator.ts";

export interface ObjectValidator {
  /** `warn` takes what is let pass in an update because it did not change. */
  validate(object: JsonObject, old?: JsonObject, warn?: Warn): FieldError[];
  validateStatus(object: JsonObject, old: JsonObject, warn?: Warn): FieldError[];
}

/** Everything a version of a CRD checks about an object, in the order the server reports it. */
export function objectValidator(root: Structural, scale: ScalePaths | undefined): ObjectValidator {
  const check = validator(root);
  const status = root.properties.get("status");
  const checkStatus = status === undefined ? undefined : validator(status);
  const embedded = embeddedCheck(root, false);
  const listTypes = listTypeCheck(root);
  const rules = hasRules(root) ? ruleValidator(root, true) : undefined;

  const listTypeErrors = (object: JsonObject): FieldError[] => {
    const errors: FieldError[] = [];
    listTypes?.(object, "", errors);
    return errors;
  };
  /** Lists that were wrong before may stay so. */
  const newListTypeErrors = (object: JsonObject, old: JsonObject | undefined): FieldError[] => {
    const errors = listTypeErrors(object);
    return errors.length > 0 && old !== undefined && listTypeErrors(old).length > 0 ? [] : errors;
  };

  return {
    validate(object, old, warn) {
      const found = findings();
      check(object, "", found, old);
      const errors = found.problems.length === 0 ? [] : fieldErrors(found.problems);
      if (scale !== undefined) errors.push(...scaleSpecErrors(object, scale), ...scaleStatusErrors(object, scale));
      embedded?.(object, "", errors);
      errors.push(...newListTypeErrors(object, old));
      errors.push(...ruleErrors(rules, object, old, errors, warn));
      return errors;
    },
    validateStatus(object, old, warn) {
      const errors: FieldError[] = [];
      const value = object["status"];
      if (value !== undefined && checkStatus !== undefined) {
        const found = findings();
        checkStatus(value, "", found, oldField(old, "status"));
        errors.push(...fieldErrors(found.problems, "status"));
      }
      if (scale !== undefined) errors.push(...scaleStatusErrors(object, scale));
      errors.push(...newListTypeErrors(object, old));
      errors.push(...ruleErrors(rules, object, old, errors, warn));
      return errors;
    },
  };
}

const blocking: ReadonlySet<string> = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);
const unchecked =
  "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";

/** Rules may rely on what the schema says; where that does not hold they are not run. */
function ruleErrors(
  rules: RuleValidator | undefined,
  object: JsonObject,
  old: JsonObject | undefined,
  errors: readonly FieldError[],
  warn: Warn = () => {},
): FieldError[] {
  if (rules === undefined) return [];
  if (errors.some(({ reason }) => blocking.has(reason))) return [fieldError.invalid("<nil>", null, unchecked)];
  return rules.validate(object, old, "", warn);
}
