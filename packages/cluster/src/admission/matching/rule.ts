import type { AdmissionRequest, ServedResource } from "../../api/index.ts";
import { namespaceOf } from "../attributes.ts";

/** A RuleWithOperations of a webhook; of a policy, it may name objects too. */
export interface Rule {
  readonly operations?: readonly string[] | undefined;
  readonly apiGroups?: readonly string[] | undefined;
  readonly apiVersions?: readonly string[] | undefined;
  readonly resources?: readonly string[] | undefined;
  readonly scope?: string | undefined;
  readonly resourceNames?: readonly string[] | undefined;
}

/** Whether a rule is about the request, were it one for `resource`. */
export function ruleMatches(rule: Rule, request: AdmissionRequest, resource: ServedResource): boolean {
  return (
    inScope(rule, request, resource) &&
    listed(rule.operations, request.operation) &&
    listed(rule.apiGroups, resource.group) &&
    listed(rule.apiVersions, resource.version) &&
    (rule.resources ?? []).some((each) => names(each, resource.plural, request.subresource)) &&
    (!rule.resourceNames?.length || rule.resourceNames.includes(request.name))
  );
}

/** Namespaces are in themselves to other rules, but cluster-scoped to this one. */
function inScope({ scope = "*" }: Rule, request: AdmissionRequest, { group, version, plural }: ServedResource): boolean {
  if (scope === "*") return true;
  const isNamespace = group === "" && version === "v1" && plural === "namespaces";
  return (isNamespace || namespaceOf(request) === "") === (scope === "Cluster");
}

function listed(items: readonly string[] = [], wanted: string): boolean {
  return items.includes("*") || items.includes(wanted);
}

/** "pods", "pods/*", "*" and "*" + "/status" name resources and their parts; "*" alone no parts. */
function names(text: string, plural: string, subresource: string): boolean {
  const slash = text.indexOf("/");
  const [resource, part] = slash < 0 ? [text, ""] : [text.slice(0, slash), text.slice(slash + 1)];
  return (resource === "*" || resource === plural) && (part === "*" || part === subresource);
}
