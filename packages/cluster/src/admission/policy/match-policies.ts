import type { JsonObject } from "pintle/kinds";
import type { AdmissionRequest } from "../../api/index.ts";
import { ApiError } from "../../status/index.ts";
import type { AdmissionDeps } from "../admission-deps.ts";
import type { MatchedResource } from "../attributes.ts";
import { matchRequest } from "../matching/match-request.ts";
import { checkParamKind, PolicyConfigurationError, resolveParams } from "./params.ts";
import type { PolicyBinding, PolicyHook } from "./policy-hooks.ts";
import type { PolicySpec } from "./policy-spec.ts";

/** A policy that matches a request, with one binding and its parameters. */
export interface MatchedPolicy<Hook> {
  readonly hook: Hook;
  readonly binding: PolicyBinding;
  readonly matchedResource: MatchedResource;
  readonly params: readonly (JsonObject | undefined)[];
}

/** A policy that matches but cannot be evaluated. */
export interface UnusablePolicy<Hook> {
  readonly hook: Hook;
  readonly binding?: PolicyBinding | undefined;
  readonly problem: string;
}

/** Returns the matching policies by binding, including unusable ones. */
export async function matchPolicies<Hook extends PolicyHook<PolicySpec, unknown>>(
  { store }: AdmissionDeps,
  hooks: readonly Hook[],
  request: AdmissionRequest,
): Promise<readonly (MatchedPolicy<Hook> | UnusablePolicy<Hook>)[]> {
  const found: (MatchedPolicy<Hook> | UnusablePolicy<Hook>)[] = [];
  for (const hook of hooks) {
    try {
      const matched = await matchRequest(store, hook.criteria, request);
      if (matched === undefined) continue;
      checkParamKind(request, hook.spec.paramKind);
      for (const binding of hook.bindings) {
        const one = await matchBinding({ store, hook, binding, request, matched });
        if (one !== undefined) found.push(one);
      }
    } catch (error) {
      found.push({ hook, problem: formatConfigurationError(error, "policy") });
    }
  }
  return found;
}

interface BindingMatchInput<Hook> {
  readonly store: AdmissionDeps["store"];
  readonly hook: Hook;
  readonly binding: PolicyBinding;
  readonly request: AdmissionRequest;
  readonly matched: MatchedResource;
}

async function matchBinding<Hook extends PolicyHook<PolicySpec, unknown>>({
  store,
  hook,
  binding,
  request,
  matched,
}: BindingMatchInput<Hook>): Promise<MatchedPolicy<Hook> | UnusablePolicy<Hook> | undefined> {
  try {
    if (binding.criteria !== undefined && (await matchRequest(store, binding.criteria, request)) === undefined) return undefined;
    const params = await resolveParams(request, hook.spec.paramKind, binding.spec.paramRef);
    return { hook, binding, matchedResource: matched, params };
  } catch (error) {
    return { hook, binding, problem: formatConfigurationError(error, "binding") };
  }
}

function formatConfigurationError(error: unknown, of: "policy" | "binding"): string {
  if (error instanceof PolicyConfigurationError) return error.message;
  if (error instanceof ApiError) return `failed to configure ${of}: ${error.message}`;
  throw error;
}
