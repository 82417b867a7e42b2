import { encodeGoJson } from "pintle/internal/go-format";
import type { Json } from "pintle/kinds";
import { type AdmissionPlugin, type AdmissionRequest, getMetadata } from "../../api/index.ts";
import { ApiError, forbidden } from "../../status/index.ts";
import type { AdmissionDeps } from "../admission-deps.ts";
import { createValidatingPlugin } from "../hook-plugins.ts";
import { buildAdmissionRequest } from "../webhook/admission-review.ts";
import { createVersionedAttributesCache } from "../webhook/call-webhook.ts";
import { type MatchedPolicy, matchPolicies } from "./match-policies.ts";
import { getNamespaceObject } from "./namespace-object.ts";
import type { PolicyHook } from "./policy-hooks.ts";
import { type CompiledValidations, evaluatePolicy, type PolicyEvaluation, type ValidatingSpec } from "./validations.ts";

export type ValidatingPolicyHook = PolicyHook<ValidatingSpec, CompiledValidations>;

/** Plugin for ValidatingAdmissionPolicy: CEL validations. */
export function createValidatingPolicyPlugin(deps: AdmissionDeps, hooks: () => readonly ValidatingPolicyHook[]): AdmissionPlugin {
  return createValidatingPlugin("ValidatingAdmissionPolicy", hooks, (all, request) => validateRequest(deps, all, request));
}

async function validateRequest(deps: AdmissionDeps, hooks: readonly ValidatingPolicyHook[], request: AdmissionRequest): Promise<void> {
  const attributesCache = createVersionedAttributesCache(request);
  const annotationValues = new Map<string, string[]>();
  let first: ApiError | undefined;
  for (const each of await matchPolicies(deps, hooks, request)) {
    if ("problem" in each) {
      if (each.hook.failurePolicy === "Fail") first ??= policyDenied(request, each.hook.name, each.binding?.name, each.problem, "");
      continue;
    }
    const { name } = each.hook;
    const { validationActions = [] } = each.binding.spec;
    for (const { denials, annotations } of await evaluateMatchedPolicy(deps, each, request, attributesCache)) {
      for (const denial of denials) {
        const { message, reason, index } = denial;
        if (validationActions.includes("Deny") || index === undefined)
          first ??= policyDenied(request, name, each.binding.name, message, reason);
        if (index === undefined) continue;
        if (validationActions.includes("Audit"))
          request.addAuditAnnotation(FAILURE_ANNOTATION, formatFailureAnnotation(each, message, index));
        if (validationActions.includes("Warn")) {
          request.warn(`Validation failed for ValidatingAdmissionPolicy '${name}' with binding '${each.binding.name}': ${message}`);
        }
      }
      for (const { key, value } of annotations) addAnnotationValue(annotationValues, `${name}/${key}`, value);
    }
  }
  for (const [key, values] of annotationValues) request.addAuditAnnotation(key, values.join(", "));
  if (first !== undefined) throw first;
}

/** Adds an annotation value once, even if several bindings produce it. */
function addAnnotationValue(annotationValues: Map<string, string[]>, key: string, value: string): void {
  const values = annotationValues.get(key) ?? [];
  if (!values.includes(value)) values.push(value);
  annotationValues.set(key, values);
}

const FAILURE_ANNOTATION = "validation.policy.admission.k8s.io/validation_failure";

function formatFailureAnnotation({ hook, binding }: MatchedPolicy<ValidatingPolicyHook>, message: string, expressionIndex: number): string {
  const fields = { message, policy: hook.name, binding: binding.name, expressionIndex, validationActions: binding.spec.validationActions };
  const written = Object.entries(fields).map(([name, value]) => `"${name}":${encodeGoJson((value ?? null) as Json)}`);
  return `[{${written.join(",")}}]`;
}

async function evaluateMatchedPolicy(
  { store, authorizer }: AdmissionDeps,
  { hook, matchedResource, params }: MatchedPolicy<ValidatingPolicyHook>,
  request: AdmissionRequest,
  attributesCache: ReturnType<typeof createVersionedAttributesCache>,
): Promise<readonly PolicyEvaluation[]> {
  if (params.length === 0) return [];
  const { object, live } = await attributesCache(matchedResource);
  const namespace = await getNamespaceObject(store, request);
  const inputs = { object, live, facts: buildAdmissionRequest(request, matchedResource), user: request.user, authorizer, namespace };
  return params.map((each) => evaluatePolicy(hook, { ...inputs, params: each }));
}

const STATUS_CODES: Readonly<Record<string, number>> = { Unauthorized: 401, Forbidden: 403, RequestEntityTooLarge: 413 };

function policyDenied(request: AdmissionRequest, policy: string, binding: string | undefined, message: string, reason: string): ApiError {
  const by = binding === undefined ? `'${policy}'` : `'${policy}' with binding '${binding}'`;
  const text = `ValidatingAdmissionPolicy ${by} denied request: ${message}`;
  const { resource, name, object } = request;
  const { name: given, generateName } = object === undefined ? {} : getMetadata(object);
  const refusal = forbidden({ group: resource.group, resource: resource.plural }, name || given || generateName || "Unknown", text);
  const details = { ...refusal.details, causes: [{ message: text }] };
  return new ApiError(STATUS_CODES[reason] ?? 422, reason || "Invalid", refusal.message, details);
}
