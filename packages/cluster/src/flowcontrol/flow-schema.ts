import type { FlowSchema, FlowSchemaSpec } from "pintle/kinds/flowcontrol/v1";
import type { RequestInfo, ResourceRequest, UserInfo } from "../api/index.ts";

/** A FlowSchema, ready to match requests. */
export interface FlowMatcher {
  readonly name: string;
  readonly uid: string;
  readonly priorityLevel: string;
  readonly precedence: number;
  readonly distinguisher: "ByUser" | "ByNamespace" | "None";
  /** Returns the rules whose subjects include the user. */
  selectRules(user: UserInfo): readonly FlowRule[];
}

type FlowRule = NonNullable<FlowSchemaSpec["rules"]>[number];
type Subject = FlowRule["subjects"][number];
type ResourceRule = NonNullable<FlowRule["resourceRules"]>[number];
type NonResourceRule = NonNullable<FlowRule["nonResourceRules"]>[number];

const ALL = "*";
const DEFAULT_PRECEDENCE = 1000;
const NO_RULES: readonly FlowRule[] = [];

export function createFlowMatcher({ metadata, spec }: FlowSchema): FlowMatcher {
  const { rules = NO_RULES } = spec;
  const type = spec.distinguisherMethod?.type;
  return {
    name: metadata.name,
    uid: metadata.uid ?? "",
    priorityLevel: spec.priorityLevelConfiguration.name,
    precedence: spec.matchingPrecedence ?? DEFAULT_PRECEDENCE,
    distinguisher: type === "ByUser" || type === "ByNamespace" ? type : "None",
    selectRules: (user) => rules.filter(({ subjects }) => subjects.some((subject) => includesUser(subject, user))),
  };
}

/** Lower precedence first, then by name. */
export function compareFlowMatchers(a: FlowMatcher, b: FlowMatcher): number {
  return a.precedence - b.precedence || (a.name < b.name ? -1 : 1);
}

export function matchesFlowRule({ resourceRules = [], nonResourceRules = [] }: FlowRule, info: RequestInfo): boolean {
  if (info.type === "path") return nonResourceRules.some((rule) => matchesPath(rule, info.verb, info.path));
  return resourceRules.some((rule) => matchesResource(rule, info));
}

function includesUser({ kind, user: named, group, serviceAccount }: Subject, { name, groups }: UserInfo): boolean {
  switch (kind) {
    case "User":
      return named !== undefined && (named.name === ALL || named.name === name);
    case "Group":
      return group !== undefined && (group.name === ALL ? groups.length > 0 : groups.includes(group.name));
    case "ServiceAccount": {
      if (serviceAccount === undefined) return false;
      const prefix = `system:serviceaccount:${serviceAccount.namespace}:`;
      return serviceAccount.name === ALL ? name.startsWith(prefix) : name === `${prefix}${serviceAccount.name}`;
    }
    default:
      return false;
  }
}

function matchesResource({ verbs, apiGroups, resources, clusterScope, namespaces = [] }: ResourceRule, info: ResourceRequest): boolean {
  const { verb, group, resource, subresource, namespace } = info;
  return (
    includes(verbs, verb) &&
    includes(apiGroups, group) &&
    includes(resources, subresource === "" ? resource : `${resource}/${subresource}`) &&
    (namespace === "" ? clusterScope === true : includes(namespaces, namespace))
  );
}

function matchesPath({ verbs, nonResourceURLs }: NonResourceRule, verb: string, path: string): boolean {
  return includes(verbs, verb) && nonResourceURLs.some((pattern) => matchesPathPattern(pattern, path));
}

/** A path stands for all paths below it too, with and without a star at its end. */
function matchesPathPattern(pattern: string, path: string): boolean {
  if (pattern === ALL || pattern === path) return true;
  const prefix = pattern.endsWith(ALL) ? pattern.slice(0, -ALL.length) : pattern;
  return path.startsWith(prefix.endsWith("/") ? prefix : `${prefix}/`);
}

function includes(list: readonly string[], value: string): boolean {
  return list.includes(value) || list.includes(ALL);
}
