import { quoteGoString } from "pintle/internal/go-format";
import { coversPath, coversResource, includesOrWildcard, type PolicyRule } from "./rule.ts";

/** Returns the parts of `required` that `held` does not cover, as rules with a single verb, resource and name. */
export function findUncoveredRules(held: readonly PolicyRule[], required: readonly PolicyRule[]): readonly PolicyRule[] {
  return required.flatMap(splitRule).filter((rule) => !held.some((each) => coversRule(each, rule)));
}

function splitRule(rule: PolicyRule): readonly PolicyRule[] {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const names = resourceNames.length === 0 ? [undefined] : resourceNames;
  return [
    ...apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        verbs.flatMap((verb) =>
          names.map((name) => ({
            verbs: [verb],
            apiGroups: [group],
            resources: [resource],
            ...(name === undefined ? {} : { resourceNames: [name] }),
          })),
        ),
      ),
    ),
    ...nonResourceURLs.flatMap((url) => verbs.map((verb) => ({ verbs: [verb], nonResourceURLs: [url] }))),
  ];
}

/** Whether one rule covers a single-valued rule. */
function coversRule(held: PolicyRule, required: PolicyRule): boolean {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = held;
  const all = (values: readonly string[] | undefined, holds: (value: string) => boolean) => (values ?? []).every(holds);
  const names = required.resourceNames ?? [];
  return (
    all(required.verbs, (verb) => includesOrWildcard(held.verbs, verb)) &&
    all(required.apiGroups, (group) => includesOrWildcard(apiGroups, group)) &&
    all(required.resources, (resource) => coversResource(resources, resource)) &&
    all(required.nonResourceURLs, (url) => coversPath(nonResourceURLs, url)) &&
    (resourceNames.length === 0 || (names.length > 0 && names.every((name) => resourceNames.includes(name))))
  );
}

/** Formats rules for an error message: verbs of the same resource merged, sorted by text. */
export function formatRules(rules: readonly PolicyRule[]): string {
  const merged = new Map<string, PolicyRule>();
  for (const rule of rules) {
    const { verbs, ...rest } = rule;
    // Rules for non-resource URLs are not merged.
    const key = JSON.stringify(rule.nonResourceURLs === undefined ? rest : rule);
    const known = merged.get(key);
    merged.set(key, known === undefined ? rule : { ...known, verbs: [...known.verbs, ...verbs] });
  }
  return [...new Set([...merged.values()].map(formatRule))].sort().join("\n");
}

function formatRule({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const fields: readonly [string, readonly string[] | undefined][] = [
    ["APIGroups", apiGroups],
    ["Resources", resources],
    ["NonResourceURLs", nonResourceURLs],
    ["ResourceNames", resourceNames],
    ["Verbs", verbs],
  ];
  const shown = fields.flatMap(([name, values]) =>
    values === undefined || values.length === 0 ? [] : [`${name}:${formatStringList(values)}`],
  );
  return `{${shown.join(", ")}}`;
}

/** Formats a list of strings like Go's %q. */
export function formatStringList(values: readonly string[]): string {
  return `[${values.map(quoteGoString).join(" ")}]`;
}
