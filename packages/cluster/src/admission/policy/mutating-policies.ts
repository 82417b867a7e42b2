import { isJsonEqual } from "pintle/internal/merge";
import type { JsonObject } from "pintle/kinds";
import { type AdmissionPlugin, type AdmissionRequest, getMetadata } from "../../api/index.ts";
import { ApiError, aggregateErrors, forbidden } from "../../status/index.ts";
import type { AdmissionDeps } from "../admission-deps.ts";
import { fromMatchedVersion, type MatchedResource, toVersionedAttributes } from "../attributes.ts";
import type { ExpressionInputs } from "../expressions/activation.ts";
import { createMutatingPlugin } from "../hook-plugins.ts";
import { normalizeObject } from "../normalize-object.ts";
import type { ReinvocationContext } from "../reinvocation.ts";
import { buildAdmissionRequest } from "../webhook/admission-review.ts";
import { type MatchedPolicy, matchPolicies } from "./match-policies.ts";
import { applyMutation, type CompiledMutation, type MutatingSpec, MutationError } from "./mutations.ts";
import { getNamespaceObject } from "./namespace-object.ts";
import type { PolicyHook } from "./policy-hooks.ts";

export type MutatingPolicyHook = PolicyHook<MutatingSpec, readonly CompiledMutation[]>;

/** Plugin for MutatingAdmissionPolicy: CEL mutations, applied one after the other. */
export function createMutatingPolicyPlugin(deps: AdmissionDeps, hooks: () => readonly MutatingPolicyHook[]): AdmissionPlugin {
  return createMutatingPlugin("MutatingAdmissionPolicy", hooks, (all, request, rounds) => mutateRequest(deps, all, request, rounds));
}

async function mutateRequest(
  deps: AdmissionDeps,
  hooks: readonly MutatingPolicyHook[],
  request: AdmissionRequest,
  context: ReinvocationContext,
): Promise<JsonObject | undefined> {
  const found = await matchPolicies(deps, hooks, request);
  if (found.length === 0) return undefined;
  context.beginPass(request.reinvocation, request.object);
  const failures: string[] = [];
  const fail = (hook: MutatingPolicyHook, binding: string | undefined, why: string) => {
    const by = binding === undefined ? `policy ${JSON.stringify(hook.name)}` : `policy '${hook.name}' with binding '${binding}'`;
    if (hook.failurePolicy === "Fail") failures.push(`${by} denied request: ${why}`);
  };
  const namespace = await getNamespaceObject(deps.store, request);
  let current = request;
  for (const each of found) {
    if ("problem" in each) fail(each.hook, each.binding?.name, each.problem);
    else {
      for (const params of each.params) {
        const object = await mutateByPolicy(deps, each, current, { namespace, params }, context, (why) =>
          fail(each.hook, each.binding.name, why),
        );
        current = { ...request, object };
      }
    }
  }
  context.endPass(current.object);
  if (failures.length > 0) throw policyDenied(request, failures);
  return current.object === request.object ? undefined : current.object;
}

/** Applies one policy with one binding and one parameter object. */
async function mutateByPolicy(
  deps: AdmissionDeps,
  { hook, binding, matchedResource }: MatchedPolicy<MutatingPolicyHook>,
  request: AdmissionRequest,
  extra: Pick<ExpressionInputs, "namespace" | "params">,
  context: ReinvocationContext,
  fail: (why: string) => void,
): Promise<JsonObject | undefined> {
  const { reinvocation } = request;
  const before = await toVersionedAttributes(request, matchedResource);
  const { authorizer } = deps;
  const inputs = { ...extra, live: before.live, facts: buildAdmissionRequest(request, matchedResource), user: request.user, authorizer };
  const met = hook.matchConditions?.evaluate({ ...inputs, object: before.object });
  if (met?.type === "failed") fail(aggregateErrors(met.errors));
  if (met !== undefined && met.type !== "met") return request.object;
  const { name = "", namespace = "" } = extra.params === undefined ? {} : getMetadata(extra.params);
  const id = `${hook.name}/${binding.name}/${namespace}/${name}`;
  if (!context.shouldInvoke(id, reinvocation)) return request.object;
  const after = applyMutations(hook, request, matchedResource, inputs, before.object, fail);
  if (!isJsonEqual(after, before.object)) {
    context.requireReinvocation();
    reinvocation.requested = true;
  }
  if (hook.spec.reinvocationPolicy === "IfNeeded") context.recordInvocation(id);
  return after === undefined || after === before.object ? request.object : fromMatchedVersion(request, matchedResource, after);
}

function applyMutations(
  hook: MutatingPolicyHook,
  request: AdmissionRequest,
  matched: MatchedResource,
  inputs: Omit<ExpressionInputs, "object">,
  before: JsonObject | undefined,
  fail: (why: string) => void,
): JsonObject | undefined {
  let object = before;
  for (const mutation of hook.compiled) {
    if (object === undefined) return undefined;
    try {
      const mutated = applyMutation(mutation, hook.environment, { ...inputs, object }, matched.resource.schema.shape);
      object = normalizeObject(request, { ...matched, object, live: inputs.live }, mutated);
    } catch (error) {
      if (!(error instanceof MutationError)) throw error;
      fail(error.message);
    }
  }
  return object;
}

function policyDenied({ resource, name, object }: AdmissionRequest, failures: readonly string[]): ApiError {
  const { name: given, generateName } = object === undefined ? {} : getMetadata(object);
  const forbiddenError = forbidden({ group: resource.group, resource: resource.plural }, name || given || generateName || "Unknown", "");
  const reason = failures[0]?.includes("failed to configure") ? "Forbidden" : "Invalid";
  return new ApiError(403, reason, failures[0] as string, { ...forbiddenError.details, causes: failures.map((message) => ({ message })) });
}
