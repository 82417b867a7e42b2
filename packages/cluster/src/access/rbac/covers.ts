import { goQuote } from "../../status/index.ts";
import { coversPath, coversResource, includes, type PolicyRule } from "./rule.ts";

/** What of `wanted` is not in `held`, in rules of one verb, resource and name each. */
export function uncovered(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] {
  return wanted.flatMap(single).filter((rule) => !held.some((each) => covers(each, rule)));
}

function single(rule: PolicyRule): readonly PolicyRule[] {
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

/** Whether one rule holds all that a single one asks for. */
function covers(held: PolicyRule, wanted: PolicyRule): boolean {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = held;
  const all = (values: readonly string[] | undefined, holds: (value: string) => boolean) => (values ?? []).every(holds);
  const names = wanted.resourceNames ?? [];
  return (
    all(wanted.verbs, (verb) => includes(held.verbs, verb)) &&
    all(wanted.apiGroups, (group) => includes(apiGroups, group)) &&
    all(wanted.resources, (resource) => coversResource(resources, resource)) &&
    all(wanted.nonResourceURLs, (url) => coversPath(nonResourceURLs, url)) &&
    (resourceNames.length === 0 || (names.length > 0 && names.every((name) => resourceNames.includes(name))))
  );
}

/** The rules as a refusal lists them: verbs of the same resource together, in the order of their text. */
export function rulesText(rules: readonly PolicyRule[]): string {
  const merged = new Map<string, PolicyRule>();
  for (const rule of rules) {
    const { verbs, ...rest } = rule;
    // Those of paths are left as they are.
    const key = JSON.stringify(rule.nonResourceURLs === undefined ? rest : rule);
    const known = merged.get(key);
    merged.set(key, known === undefined ? rule : { ...known, verbs: [...known.verbs, ...verbs] });
  }
  return [...new Set([...merged.values()].map(ruleText))].sort().join("\n");
}

function ruleText({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const fields: readonly [string, readonly string[] | undefined][] = [
    ["APIGroups", apiGroups],
    ["Resources", resources],
    ["NonResourceURLs", nonResourceURLs],
    ["ResourceNames", resourceNames],
    ["Verbs", verbs],
  ];
  const shown = fields.flatMap(([name, values]) => (values === undefined || values.length === 0 ? [] : [`${name}:${listText(values)}`]));
  return `{${shown.join(", ")}}`;
}

/** A list of strings as Go's %q prints it. */
export function listText(values: readonly string[]): string {
  return `[${values.map(goQuote).join(" ")}]`;
}
