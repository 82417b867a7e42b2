import { parseShortInteger } from "../text/index.ts";

/** The labels of an object. */
export type Labels = Readonly<Record<string, string>>;

/** One condition on one label. `Gt` and `Lt` compare integers and exist only in node selectors and in the text form of a selector. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt";
  readonly values?: readonly string[] | undefined;
}

const INTEGER = /^[+-]?\d+$/;

/** Returns the value of a label, or undefined. A key such as `constructor` is not a label unless the object has one of that name. */
export function getLabel(labels: Labels | undefined, key: string): string | undefined {
  return labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
}

/** Returns whether the labels satisfy every requirement. Without requirements, everything matches. */
export function matchesRequirements(requirements: readonly LabelRequirement[], labels: Labels | undefined): boolean {
  return requirements.every((requirement) => matchesRequirement(requirement, getLabel(labels, requirement.key)));
}

/** Returns whether a label with this value, or a missing label (undefined), satisfies the requirement. */
export function matchesRequirement({ operator, values = [] }: LabelRequirement, value: string | undefined): boolean {
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
    case "Lt": {
      const bound = values[0];
      if (value === undefined || bound === undefined || !INTEGER.test(value) || !INTEGER.test(bound)) return false;
      const [left, right] = [parseShortInteger(value), parseShortInteger(bound)];
      if (left === undefined || right === undefined) return false;
      return operator === "Gt" ? left > right : left < right;
    }
  }
}
