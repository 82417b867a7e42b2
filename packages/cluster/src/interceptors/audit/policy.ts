import type { RequestInfo, UserInfo } from "../../api/index.ts";

/** How much of a request is recorded. */
export type AuditLevel = "None" | "Metadata" | "Request" | "RequestResponse";

/** A stage of a request at which an event is recorded: "ResponseStarted" only of watches and streams. */
export type AuditStage = "RequestReceived" | "ResponseStarted" | "ResponseComplete" | "Panic";

/** An audit policy, as in the file of kube-apiserver's --audit-policy-file. */
export interface AuditPolicy {
  /** "audit.k8s.io/v1". */
  readonly apiVersion?: string | undefined;
  /** "Policy". */
  readonly kind?: string | undefined;
  /** The first rule that matches a request decides; a request that no rule matches is not recorded. */
  readonly rules: readonly AuditPolicyRule[];
  /** Stages that are not recorded. Default: all are. */
  readonly omitStages?: readonly AuditStage[] | undefined;
  /** Whether objects are recorded without their managed fields. Default: false. */
  readonly omitManagedFields?: boolean | undefined;
}

/** A rule of an audit policy. Every given property must match; a rule with `resources` or `namespaces` matches no other paths. */
export interface AuditPolicyRule {
  /** How much of the request is recorded. */
  readonly level: AuditLevel;
  /** Authenticated users, before impersonation. Default: any. */
  readonly users?: readonly string[] | undefined;
  /** Groups, one of which the user is in. Default: any. */
  readonly userGroups?: readonly string[] | undefined;
  /** Verbs. Default: any. */
  readonly verbs?: readonly string[] | undefined;
  /** Resources by group. Default: any. */
  readonly resources?: readonly AuditGroupResources[] | undefined;
  /** Namespaces; "" matches requests without one. Default: any. */
  readonly namespaces?: readonly string[] | undefined;
  /** Paths, with `*` at the end for all that follows. Default: any. */
  readonly nonResourceURLs?: readonly string[] | undefined;
  /** More stages that are not recorded. Default: those of the policy. */
  readonly omitStages?: readonly AuditStage[] | undefined;
  /** Whether objects are recorded without their managed fields. Default: that of the policy. */
  readonly omitManagedFields?: boolean | undefined;
}

/** Resources of one API group in a rule. */
export interface AuditGroupResources {
  /** The API group. Default: "", that of core kinds. */
  readonly group?: string | undefined;
  /** "pods", "pods/log", "pods/*", "*\/status" or "*". Default: all. */
  readonly resources?: readonly string[] | undefined;
  /** Names of objects. Default: any. */
  readonly resourceNames?: readonly string[] | undefined;
}

/** What is recorded of a request. */
export interface AuditDecision {
  readonly level: Exclude<AuditLevel, "None">;
  readonly omitStages: ReadonlySet<AuditStage>;
  readonly omitManagedFields: boolean;
}

/** Compiles a policy. The function returns undefined for a request that is not recorded; `user` is undefined if authentication failed. */
export function compilePolicy(policy: AuditPolicy): (info: RequestInfo, user: UserInfo | undefined) => AuditDecision | undefined {
  const rules = policy.rules.map((rule) => ({ rule, decision: buildDecision(policy, rule) }));
  return (info, user) => rules.find(({ rule }) => matchesRule(rule, info, user))?.decision;
}

function buildDecision(policy: AuditPolicy, { level, omitStages = [], omitManagedFields }: AuditPolicyRule): AuditDecision | undefined {
  if (level === "None") return undefined;
  return {
    level,
    omitStages: new Set([...(policy.omitStages ?? []), ...omitStages]),
    omitManagedFields: omitManagedFields ?? policy.omitManagedFields ?? false,
  };
}

const matchesAny = (values: readonly string[] | undefined, value: string) =>
  values === undefined || values.length === 0 || values.includes(value);
const isGiven = (values: readonly unknown[] | undefined): boolean => values !== undefined && values.length > 0;

function matchesRule(rule: AuditPolicyRule, info: RequestInfo, user: UserInfo | undefined): boolean {
  if (isGiven(rule.users) && (user === undefined || !matchesAny(rule.users, user.name))) return false;
  if (isGiven(rule.userGroups) && !user?.groups.some((group) => matchesAny(rule.userGroups, group))) return false;
  if (!matchesAny(rule.verbs, info.verb)) return false;
  if (isGiven(rule.namespaces) || isGiven(rule.resources)) {
    if (info.type !== "resource" || !matchesAny(rule.namespaces, info.namespace)) return false;
    return !isGiven(rule.resources) || (rule.resources ?? []).some((each) => matchesResources(each, info));
  }
  if (!isGiven(rule.nonResourceURLs)) return true;
  return info.type === "path" && (rule.nonResourceURLs ?? []).some((pattern) => matchesPath(pattern, info.path));
}

function matchesPath(pattern: string, path: string): boolean {
  return pattern === path || (pattern.endsWith("*") && path.startsWith(pattern.slice(0, -1)));
}

function matchesResources(
  { group = "", resources, resourceNames }: AuditGroupResources,
  info: Extract<RequestInfo, { readonly type: "resource" }>,
): boolean {
  if (group !== info.group) return false;
  if (!isGiven(resources)) return true;
  const { resource, subresource } = info;
  const combined = subresource === "" ? resource : `${resource}/${subresource}`;
  const accepted = new Set(["*", combined, `${resource}/*`, ...(subresource === "" ? [] : [`*/${subresource}`])]);
  return matchesAny(resourceNames, info.name) && (resources ?? []).some((each) => accepted.has(each));
}
