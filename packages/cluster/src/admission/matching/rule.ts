import type { AdmissionRequest, ServedResource } from "../../api/index.ts";
import { getRequestNamespace } from "../attributes.ts";

/** A rule of a webhook or policy; a policy's rule may also name objects. */
export interface RuleWithOperations {
  readonly operations?: readonly string[] | undefined;
  readonly apiGroups?: readonly string[] | undefined;
  readonly apiVersions?: readonly string[] | undefined;
  readonly resources?: readonly string[] | undefined;
  readonly scope?: string | undefined;
  readonly resourceNames?: readonly string[] | undefined;
}

/** Whether a rule matches the request, taken as one for `resource`. */
export function matchesRule(rule: RuleWithOperations, request: AdmissionRequest, resource: ServedResource): boolean {
  return (
    matchesScope(rule, request, resource) &&
    includesOrWildcard(rule.operations, request.operation) &&
    includesOrWildcard(rule.apiGroups, resource.group) &&
    includesOrWildcard(rule.apiVersions, resource.version) &&
    (rule.resources ?? []).some((each) => matchesResource(each, resource.plural, request.subresource)) &&
    (!rule.resourceNames?.length || rule.resourceNames.includes(request.name))
  );
}

/** Namespaces are cluster-scoped here, although they count as namespaced in other rules. */
function matchesScope({ scope = "*" }: RuleWithOperations, request: AdmissionRequest, { group, version, plural }: ServedResource): boolean {
  if (scope === "*") return true;
  const isNamespace = group === "" && version === "v1" && plural === "namespaces";
  return (isNamespace || getRequestNamespace(request) === "") === (scope === "Cluster");
}

function includesOrWildcard(items: readonly string[] = [], value: string): boolean {
  return items.includes("*") || items.includes(value);
}

/** Matches "pods", "pods/*", "*" and "*" + "/status"; "*" alone does not include subresources. */
function matchesResource(text: string, plural: string, subresource: string): boolean {
  const slash = text.indexOf("/");
  const [resource, part] = slash < 0 ? [text, ""] : [text.slice(0, slash), text.slice(slash + 1)];
  return (resource === "*" || resource === plural) && (part === "*" || part === subresource);
}
