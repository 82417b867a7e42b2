import type { LabelSelector } from "../kinds/index.ts";
import type { LabelRequirement } from "./requirement.ts";

/** Formats one requirement in the shortest text form: `a=b`, `a!=b`, `a in (b,c)`, `a notin (b,c)`, `a`, `!a`, `a>1`, `a<1`. */
export function formatRequirement({ key, operator, values = [] }: LabelRequirement): string {
  switch (operator) {
    case "Exists":
      return key;
    case "DoesNotExist":
      return `!${key}`;
    case "Gt":
      return `${key}>${values[0]}`;
    case "Lt":
      return `${key}<${values[0]}`;
    default:
      if (values.length === 1) return `${key}${operator === "In" ? "=" : "!="}${values[0]}`;
      return `${key} ${operator === "In" ? "in" : "notin"} (${values.join(",")})`;
  }
}

/** Formats a LabelSelector as kube-apiserver does in Scale.status.selector: requirements and values sorted, sets always in parentheses. */
export function formatLabelSelector(selector: LabelSelector): string {
  const parts = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => ({ key, text: `${key}=${String(value)}` }));
  for (const { key, operator, values = [] } of selector.matchExpressions ?? []) {
    const set = `(${[...values].sort().join(",")})`;
    const text =
      operator === "In" ? `${key} in ${set}` : operator === "NotIn" ? `${key} notin ${set}` : operator === "Exists" ? key : `!${key}`;
    parts.push({ key, text });
  }
  return parts
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map((part) => part.text)
    .join(",");
}
