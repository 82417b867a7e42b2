import { trimTrailing } from "pintle/internal/text";
import type { ResourceAttributes } from "../../api/index.ts";

/** A stored rule of a Role or ClusterRole. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[] | undefined;
  readonly resources?: readonly string[] | undefined;
  readonly resourceNames?: readonly string[] | undefined;
  readonly nonResourceURLs?: readonly string[] | undefined;
}

const ALL = "*";
const NONE: readonly string[] = [];

export function allowsResource(rule: PolicyRule, { verb, group, resource, subresource, name }: ResourceAttributes): boolean {
  const { verbs, apiGroups = NONE, resources = NONE, resourceNames = NONE } = rule;
  return (
    includesOrWildcard(verbs, verb) &&
    includesOrWildcard(apiGroups, group) &&
    coversResource(resources, subresource === "" ? resource : `${resource}/${subresource}`) &&
    (resourceNames.length === 0 || resourceNames.includes(name))
  );
}

export function allowsPath({ verbs, nonResourceURLs = NONE }: PolicyRule, verb: string, path: string): boolean {
  return includesOrWildcard(verbs, verb) && coversPath(nonResourceURLs, path);
}

/** Whether the list contains the value or the wildcard. */
export function includesOrWildcard(list: readonly string[], value: string): boolean {
  return list.includes(value) || list.includes(ALL);
}

/**
 * Whether the list covers `resource` ("pods" or "pods/log"); an entry may be "*", or a star before the slash for a subresource of every
 * resource.
 */
export function coversResource(list: readonly string[], resource: string): boolean {
  if (includesOrWildcard(list, resource)) return true;
  const slash = resource.indexOf("/");
  return slash !== -1 && list.includes(`${ALL}${resource.slice(slash)}`);
}

/** Whether the list covers a path; an entry may end in a star. */
export function coversPath(list: readonly string[], path: string): boolean {
  return list.some((each) => each === path || (each.endsWith(ALL) && path.startsWith(trimTrailing(each, ALL))));
}
