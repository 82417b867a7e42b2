import type { ResourceAccess } from "../../api/index.ts";

/** One rule of a Role or ClusterRole, as it is stored. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[] | undefined;
  readonly resources?: readonly string[] | undefined;
  readonly resourceNames?: readonly string[] | undefined;
  readonly nonResourceURLs?: readonly string[] | undefined;
}

const ALL = "*";
const NONE: readonly string[] = [];

export function allowsResource(rule: PolicyRule, { verb, group, resource, subresource, name }: ResourceAccess): boolean {
  const { verbs, apiGroups = NONE, resources = NONE, resourceNames = NONE } = rule;
  return (
    includes(verbs, verb) &&
    includes(apiGroups, group) &&
    coversResource(resources, subresource === "" ? resource : `${resource}/${subresource}`) &&
    (resourceNames.length === 0 || resourceNames.includes(name))
  );
}

export function allowsPath({ verbs, nonResourceURLs = NONE }: PolicyRule, verb: string, path: string): boolean {
  return includes(verbs, verb) && coversPath(nonResourceURLs, path);
}

/** In the list, or everything is. */
export function includes(list: readonly string[], value: string): boolean {
  return list.includes(value) || list.includes(ALL);
}

/** `resource` is "pods" or "pods/log"; a list may say "*", or a star in the place of "pods" for that subresource of everything. */
export function coversResource(list: readonly string[], resource: string): boolean {
  if (includes(list, resource)) return true;
  const slash = resource.indexOf("/");
  return slash !== -1 && list.includes(`${ALL}${resource.slice(slash)}`);
}

/** "/healthz", or everything that begins as a path with a star at its end. */
export function coversPath(list: readonly string[], path: string): boolean {
  return list.some((each) => each === path || (each.endsWith(ALL) && path.startsWith(each.replace(/\*+$/, ""))));
}
