import type { JsonObject } from "pintle/kinds";
import type { AdmissionRequest } from "../../api/index.ts";
import { ApiError } from "../../status/index.ts";
import type { Seen } from "../attributes.ts";
import { match } from "../matching/match.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Binding, PolicyHook } from "./hooks.ts";
import { checkParamKind, Misconfigured, paramsFor } from "./params.ts";
import type { PolicySpec } from "./stored.ts";

/** A policy that is about a request, by one of its bindings, with all its parameters. */
export interface Matched<Hook> {
  readonly hook: Hook;
  readonly binding: Binding;
  readonly seen: Seen;
  readonly params: readonly (JsonObject | undefined)[];
}

/** What kept a policy from being evaluated. */
export interface Unusable<Hook> {
  readonly hook: Hook;
  readonly binding?: Binding | undefined;
  readonly problem: string;
}

/** Every policy that is about the request, binding by binding, and what is wrong with others. */
export async function matched<Hook extends PolicyHook<PolicySpec, unknown>>(
  { store }: Surroundings,
  hooks: readonly Hook[],
  request: AdmissionRequest,
): Promise<readonly (Matched<Hook> | Unusable<Hook>)[]> {
  const found: (Matched<Hook> | Unusable<Hook>)[] = [];
  for (const hook of hooks) {
    try {
      const seen = await match(store, hook.criteria, request);
      if (seen === undefined) continue;
      checkParamKind(request, hook.spec.paramKind);
      for (const binding of hook.bindings) {
        const one = await bound({ store, hook, binding, request, seen });
        if (one !== undefined) found.push(one);
      }
    } catch (error) {
      found.push({ hook, problem: problemOf(error, "policy") });
    }
  }
  return found;
}

interface Bound<Hook> {
  readonly store: Surroundings["store"];
  readonly hook: Hook;
  readonly binding: Binding;
  readonly request: AdmissionRequest;
  readonly seen: Seen;
}

async function bound<Hook extends PolicyHook<PolicySpec, unknown>>({
  store,
  hook,
  binding,
  request,
  seen,
}: Bound<Hook>): Promise<Matched<Hook> | Unusable<Hook> | undefined> {
  try {
    if (binding.criteria !== undefined && (await match(store, binding.criteria, request)) === undefined) return undefined;
    const params = await paramsFor(request, hook.spec.paramKind, binding.spec.paramRef);
    return { hook, binding, seen, params };
  } catch (error) {
    return { hook, binding, problem: problemOf(error, "binding") };
  }
}

function problemOf(error: unknown, of: "policy" | "binding"): string {
  if (error instanceof Misconfigured) return error.message;
  if (error instanceof ApiError) return `failed to configure ${of}: ${error.message}`;
  throw error;
}
