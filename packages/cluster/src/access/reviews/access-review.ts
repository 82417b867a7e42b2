import type { JsonObject } from "pintle/kinds";
import {
  type AuthorizationAttributes,
  type Authorizer,
  type FieldSelector,
  getMetadata,
  tryParseFieldSelector,
  type UserInfo,
} from "../../api/index.ts";
import { aggregateErrors, badRequest, type FieldError, fieldError, VerbatimValue } from "../../status/index.ts";
import { type RuleAuthorizer, roleNotFoundMessage } from "../rbac/authorizer.ts";
import type { PolicyRule } from "../rbac/rule.ts";
import { formatUnexpectedMetadata, invalidReview, type ReviewHandler } from "./review-handler.ts";

interface AccessReviewSpec {
  readonly resourceAttributes?: ReviewResourceAttributes | undefined;
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string } | undefined;
  readonly user?: string | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly uid?: string | undefined;
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}
interface ReviewResourceAttributes {
  readonly namespace?: string;
  readonly verb?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly name?: string;
  readonly fieldSelector?: ReviewSelector;
  readonly labelSelector?: ReviewSelector;
}
interface ReviewSelector {
  readonly rawSelector?: string;
  readonly requirements?: readonly ReviewRequirement[];
}
interface ReviewRequirement {
  readonly key?: string;
  readonly operator?: string;
  readonly values?: readonly string[];
}

/** Creates the handler of SubjectAccessReview: whether a user may perform an action. */
export function createSubjectAccessReviewHandler(authorizer: Authorizer): ReviewHandler {
  return async (question) => {
    const spec = getSpec(question);
    const errors = [...specErrors(spec), ...subjectErrors(spec)];
    const metadata = formatUnexpectedMetadata(question, []);
    if (metadata !== undefined) errors.push(fieldError.invalid("metadata", metadata, "must be empty"));
    if (errors.length > 0) throw invalidReview(errors);
    return reviewAccess(question, authorizer, getSubject(spec));
  };
}

/** Creates the handler of LocalSubjectAccessReview: the same within one namespace, so that access to it can be granted per namespace. */
export function createLocalSubjectAccessReviewHandler(authorizer: Authorizer): ReviewHandler {
  return async (question) => {
    const spec = getSpec(question);
    const errors = [...specErrors(spec), ...subjectErrors(spec)];
    const metadata = formatUnexpectedMetadata(question, ["namespace"]);
    if (metadata !== undefined) errors.push(fieldError.invalid("metadata", metadata, "must be empty except for namespace"));
    const { resourceAttributes: resource, nonResourceAttributes: path } = spec;
    if (resource !== undefined && (resource.namespace ?? "") !== (getMetadata(question).namespace ?? "")) {
      const namespace = resource.namespace ?? "";
      errors.push(fieldError.invalid("spec.resourceAttributes.namespace", namespace, "must match metadata.namespace"));
    }
    if (path !== undefined)
      errors.push(
        fieldError.invalid("spec.nonResourceAttributes", formatNonResourceAttributes(path), "disallowed on this kind of request"),
      );
    if (errors.length > 0) throw invalidReview(errors);
    return reviewAccess(question, authorizer, getSubject(spec));
  };
}

/** Creates the handler of SelfSubjectAccessReview: whether the requester may perform an action. */
export function createSelfSubjectAccessReviewHandler(authorizer: Authorizer): ReviewHandler {
  return async (question, { user }) => {
    const errors = [...specErrors(getSpec(question))];
    const metadata = formatUnexpectedMetadata(question, []);
    if (metadata !== undefined) errors.push(fieldError.invalid("metadata", metadata, "must be empty"));
    if (errors.length > 0) throw invalidReview(errors);
    return reviewAccess(question, authorizer, user);
  };
}

const getSpec = (question: JsonObject) => (question["spec"] ?? {}) as AccessReviewSpec;

function getSubject({ user = "", groups = [], uid, extra }: AccessReviewSpec): UserInfo {
  return { name: user, groups, uid, extra };
}

async function reviewAccess(question: JsonObject, authorizer: Authorizer, user: UserInfo): Promise<JsonObject> {
  const spec = getSpec(question);
  const { allowed, reason } = authorizer.authorize({ user, info: toAccessInfo(spec) });
  const evaluationError = formatEvaluationError(spec);
  const details = { ...(reason === undefined ? {} : { reason }), ...(evaluationError === undefined ? {} : { evaluationError }) };
  return { ...question, status: { allowed, ...details } };
}

function toAccessInfo({ resourceAttributes: of, nonResourceAttributes: at }: AccessReviewSpec): AuthorizationAttributes["info"] {
  if (of === undefined) return { type: "path", path: at?.path ?? "", verb: at?.verb ?? "" };
  const { verb = "", group = "", resource = "", subresource = "", namespace = "", name = "" } = of;
  const fieldSelector = of.fieldSelector === undefined ? undefined : toFieldSelector(of.fieldSelector);
  return { type: "resource", verb, group, resource, subresource, namespace, name, fieldSelector };
}

/** The requirements of a selector that field selectors can express; the others only narrow it. Undefined if there are none. */
function toFieldSelector({ rawSelector = "", requirements = [] }: ReviewSelector): FieldSelector | undefined {
  if (requirements.length === 0) return tryParseFieldSelector(rawSelector);
  const expressible = requirements.filter(({ operator, values }) => values?.length === 1 && (operator === "In" || operator === "NotIn"));
  if (expressible.length === 0) return undefined;
  return expressible.map(({ key = "", operator, values }) => ({ field: key, equal: operator === "In", value: values?.[0] as string }));
}

/** What of the question was not evaluated. */
function formatEvaluationError({ resourceAttributes }: AccessReviewSpec): string | undefined {
  const selector = resourceAttributes?.fieldSelector;
  if (selector === undefined) return undefined;
  const parsed = toFieldSelector(selector);
  if (parsed === undefined) return "spec.resourceAttributes.fieldSelector ignored due to parse error";
  const isPartial = parsed.length < (selector.requirements ?? []).length;
  return isPartial ? "spec.resourceAttributes.fieldSelector partially ignored due to parse error" : undefined;
}

function* subjectErrors({ user, groups = [] }: AccessReviewSpec): Iterable<FieldError> {
  if (!user && groups.length === 0) yield fieldError.invalid("spec.user", user ?? "", "at least one of user or group must be specified");
}

function* specErrors({ resourceAttributes: resource, nonResourceAttributes: path }: AccessReviewSpec): Iterable<FieldError> {
  if (resource !== undefined && path !== undefined) {
    yield fieldError.invalid(
      "spec.nonResourceAttributes",
      formatNonResourceAttributes(path),
      "cannot be specified in combination with resourceAttributes",
    );
  }
  if (resource === undefined && path === undefined) {
    const why = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
    yield fieldError.invalid("spec.resourceAttributes", null, why);
  }
  for (const field of ["fieldSelector", "labelSelector"] as const) {
    const selector = resource?.[field];
    if (selector !== undefined) yield* selectorErrors(`spec.resourceAttributes.${field}`, selector);
  }
}

function* selectorErrors(at: string, { rawSelector = "", requirements = [] }: ReviewSelector): Iterable<FieldError> {
  if (rawSelector !== "" && requirements.length > 0) {
    yield fieldError.invalid(`${at}.rawSelector`, rawSelector, "may not specified at the same time as requirements");
  }
  if (rawSelector === "" && requirements.length === 0) {
    yield fieldError.required(`${at}.requirements`, `when ${at} is specified, requirements or rawSelector is required`);
  }
}

function formatNonResourceAttributes({ path = "", verb = "" }: NonNullable<AccessReviewSpec["nonResourceAttributes"]>): VerbatimValue {
  return new VerbatimValue(JSON.stringify({ Path: path, Verb: verb }));
}

/** Creates the handler of SelfSubjectRulesReview: the rules of the requester in a namespace. */
export function createSelfSubjectRulesReviewHandler(authorizer: RuleAuthorizer): ReviewHandler {
  return async ({ apiVersion, kind, spec }, { user }) => {
    const { namespace } = (spec ?? {}) as { readonly namespace?: string };
    if (!namespace) throw badRequest("no namespace on request");
    const { rules, missingRoles, unlisted } = authorizer.rulesFor(user, namespace);
    const problems = [...(unlisted === undefined ? [] : [unlisted]), ...missingRoles.map(roleNotFoundMessage)];
    const status = {
      resourceRules: rules.filter(hasResources).map(toResourceRule),
      nonResourceRules: rules.filter(hasPaths).map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
      incomplete: unlisted !== undefined,
      ...(problems.length === 0 ? {} : { evaluationError: aggregateErrors(problems) }),
    };
    return { apiVersion, kind, metadata: {}, spec: {}, status } as unknown as JsonObject;
  };
}

const hasResources = ({ resources }: PolicyRule) => (resources ?? []).length > 0;
const hasPaths = ({ nonResourceURLs }: PolicyRule) => (nonResourceURLs ?? []).length > 0;

function toResourceRule({ verbs, apiGroups, resources, resourceNames }: PolicyRule) {
  return { verbs, apiGroups, resources, ...(resourceNames === undefined ? {} : { resourceNames }) };
}
