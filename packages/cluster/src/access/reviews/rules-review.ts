import type { JsonObject } from "pintle/kinds";
import { badRequest } from "../../status/index.ts";
import { aggregate, noRole, type RuleAuthorizer } from "../rbac/authorizer.ts";
import type { PolicyRule } from "../rbac/rule.ts";
import type { Ask } from "./question.ts";

/** What may I do, in this namespace and everywhere? */
export function selfSubjectRulesReview(authorizer: RuleAuthorizer): Ask {
  return async ({ apiVersion, kind, spec }, { user }) => {
    const { namespace } = (spec ?? {}) as { readonly namespace?: string };
    if (!namespace) throw badRequest("no namespace on request");
    const { rules, missing } = authorizer.rulesFor(user, namespace);
    const status = {
      resourceRules: rules.filter(hasResources).map(resourceRule),
      nonResourceRules: rules.filter(hasPaths).map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
      incomplete: false,
      ...(missing.length === 0 ? {} : { evaluationError: aggregate(missing.map(noRole)) }),
    };
    return { apiVersion, kind, metadata: {}, spec: {}, status } as unknown as JsonObject;
  };
}

const hasResources = ({ resources }: PolicyRule) => (resources ?? []).length > 0;
const hasPaths = ({ nonResourceURLs }: PolicyRule) => (nonResourceURLs ?? []).length > 0;

function resourceRule({ verbs, apiGroups, resources, resourceNames }: PolicyRule) {
  return { verbs, apiGroups, resources, ...(resourceNames === undefined ? {} : { resourceNames }) };
}
