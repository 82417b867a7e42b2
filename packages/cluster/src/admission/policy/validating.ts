import { type AdmissionPlugin, type AdmissionRequest, metadataOf } from "../../api/index.ts";
import { ApiError, forbidden } from "../../status/index.ts";
import type { Surroundings } from "../surroundings.ts";
import { viewOf } from "../webhook/ask.ts";
import { isExempt } from "../webhook/hook.ts";
import { requestFacts } from "../webhook/review.ts";
import type { PolicyHook } from "./hooks.ts";
import { type Matched, matched } from "./matched.ts";
import { namespaceObject } from "./namespace-object.ts";
import { type Denial, denials, type ValidatingSpec, type Validations } from "./validations.ts";

export type ValidatingHook = PolicyHook<ValidatingSpec, Validations>;

/** ValidatingAdmissionPolicy: rules in CEL that a request must meet. */
export function validatingPolicies(around: Surroundings, hooks: () => readonly ValidatingHook[]): AdmissionPlugin {
  return {
    name: "ValidatingAdmissionPolicy",
    validate(request) {
      const all = hooks();
      return all.length === 0 || isExempt(request.kind) ? undefined : judge(around, all, request);
    },
  };
}

async function judge(around: Surroundings, hooks: readonly ValidatingHook[], request: AdmissionRequest): Promise<void> {
  const view = viewOf(request);
  let first: ApiError | undefined;
  for (const each of await matched(around, hooks, request)) {
    if ("problem" in each) {
      if (each.hook.failurePolicy === "Fail")
        first ??= denied(request, each.hook.name, each.binding?.name, { message: each.problem, reason: "" });
      continue;
    }
    for (const denial of await judged(around, each, request, view)) {
      const { name } = each.hook;
      const { validationActions = [] } = each.binding.spec;
      if (validationActions.includes("Deny") || denial.regardless) first ??= denied(request, name, each.binding.name, denial);
      if (validationActions.includes("Warn") && !denial.regardless) {
        request.warn(`Validation failed for ValidatingAdmissionPolicy '${name}' with binding '${each.binding.name}': ${denial.message}`);
      }
    }
  }
  if (first !== undefined) throw first;
}

async function judged(
  { store, authorizer }: Surroundings,
  { hook, seen, params }: Matched<ValidatingHook>,
  request: AdmissionRequest,
  view: ReturnType<typeof viewOf>,
): Promise<readonly Denial[]> {
  if (params.length === 0) return [];
  const { object, live } = await view(seen);
  const namespace = await namespaceObject(store, request);
  const situation = { object, live, facts: requestFacts(request, seen), user: request.user, authorizer, namespace };
  const found: Denial[] = [];
  for (const each of params) found.push(...(await denials(hook, { ...situation, params: each })));
  return found;
}

const CODES: Readonly<Record<string, number>> = { Unauthorized: 401, Forbidden: 403, RequestEntityTooLarge: 413 };

function denied(request: AdmissionRequest, policy: string, binding: string | undefined, { message, reason }: Denial): ApiError {
  const by = binding === undefined ? `'${policy}'` : `'${policy}' with binding '${binding}'`;
  const text = `ValidatingAdmissionPolicy ${by} denied request: ${message}`;
  const { resource, name, object } = request;
  const { name: given, generateName } = object === undefined ? {} : metadataOf(object);
  const refusal = forbidden({ group: resource.group, resource: resource.plural }, name || given || generateName || "Unknown", text);
  const details = { ...refusal.details, causes: [{ message: text }] };
  return new ApiError(CODES[reason] ?? 422, reason || "Invalid", refusal.message, details);
}
