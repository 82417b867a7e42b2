import type { JsonObject } from "pintle/kinds";
import type { FieldError } from "../../status/index.ts";
import type { Structural } from "../structural.ts";
import { embeddedCheck } from "./embedded.ts";
import { listTypeCheck } from "./list-types.ts";
import { fieldErrors, findings } from "./problem.ts";
import { oldField } from "./ratchet.ts";
import { type ScalePaths, scaleSpecErrors, scaleStatusErrors } from "./scale.ts";
import { validator } from "./validator.ts";

export interface ObjectValidator {
  validate(object: JsonObject, old?: JsonObject): FieldError[];
  validateStatus(object: JsonObject, old: JsonObject): FieldError[];
}

/** Everything a version of a CRD checks about an object, in the order the server reports it. */
export function objectValidator(root: Structural, scale: ScalePaths | undefined): ObjectValidator {
  const check = validator(root);
  const status = root.properties.get("status");
  const checkStatus = status === undefined ? undefined : validator(status);
  const embedded = embeddedCheck(root, false);
  const listTypes = listTypeCheck(root);

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
    validate(object, old) {
      const found = findings();
      check(object, "", found, old);
      const errors = found.problems.length === 0 ? [] : fieldErrors(found.problems);
      if (scale !== undefined) errors.push(...scaleSpecErrors(object, scale), ...scaleStatusErrors(object, scale));
      embedded?.(object, "", errors);
      errors.push(...newListTypeErrors(object, old));
      return errors;
    },
    validateStatus(object, old) {
      const errors: FieldError[] = [];
      const value = object["status"];
      if (value !== undefined && checkStatus !== undefined) {
        const found = findings();
        checkStatus(value, "", found, oldField(old, "status"));
        errors.push(...fieldErrors(found.problems, "status"));
      }
      if (scale !== undefined) errors.push(...scaleStatusErrors(object, scale));
      errors.push(...newListTypeErrors(object, old));
      return errors;
    },
  };
}
