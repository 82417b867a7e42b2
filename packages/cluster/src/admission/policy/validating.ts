import type { Json } from "pintle/kinds";
import { type AdmissionPlugin, type AdmissionRequest, metadataOf } from "../../api/index.ts";
import { ApiError, forbidden, goJson } from "../../status/index.ts";
import { judging } from "../configured.ts";
import type { Surroundings } from "../surroundings.ts";
import { viewOf } from "../webhook/ask.ts";
import { requestFacts } from "../webhook/review.ts";
import type { PolicyHook } from "./hooks.ts";
import { type Matched, matched } from "./matched.ts";
import { namespaceObject } from "./namespace-object.ts";
import { type Judgement, judgement, type ValidatingSpec, type Validations } from "./validations.ts";

export type ValidatingHook = PolicyHook<ValidatingSpec, Validations>;

/** ValidatingAdmissionPolicy: rules in CEL that a request must meet. */
export function validatingPolicies(around: Surroundings, hooks: () => readonly ValidatingHook[]): AdmissionPlugin {
  return judging("ValidatingAdmissionPolicy", hooks, (all, request) => judge(around, all, request));
}

async function judge(around: Surroundings, hooks: readonly ValidatingHook[], request: AdmissionRequest): Promise<void> {
  const view = viewOf(request);
  const notes = new Map<string, string[]>();
  let first: ApiError | undefined;
  for (const each of await matched(around, hooks, request)) {
    if ("problem" in each) {
      if (each.hook.failurePolicy === "Fail") first ??= denied(request, each.hook.name, each.binding?.name, each.problem, "");
      continue;
    }
    const { name } = each.hook;
    const { validationActions = [] } = each.binding.spec;
    for (const { denials, annotations } of await judged(around, each, request, view)) {
      for (const denial of denials) {
        const { message, reason, index } = denial;
        if (validationActions.includes("Deny") || index === undefined) first ??= denied(request, name, each.binding.name, message, reason);
        if (index === undefined) continue;
        if (validationActions.includes("Audit")) request.annotate(FAILURE, failure(each, message, index));
        if (validationActions.includes("Warn")) {
          request.warn(`Validation failed for ValidatingAdmissionPolicy '${name}' with binding '${each.binding.name}': ${message}`);
        }
      }
      for (const { key, value } of annotations) note(notes, `${name}/${key}`, value);
    }
  }
  for (const [key, values] of notes) request.annotate(key, values.join(", "));
  if (first !== undefined) throw first;
}

/** Several bindings may have something to say; each word is noted once. */
function note(notes: Map<string, string[]>, key: string, value: string): void {
  const said = notes.get(key) ?? [];
  if (!said.includes(value)) said.push(value);
  notes.set(key, said);
}

const FAILURE = "validation.policy.admission.k8s.io/validation_failure";

function failure({ hook, binding }: Matched<ValidatingHook>, message: string, expressionIndex: number): string {
  const fields = { message, policy: hook.name, binding: binding.name, expressionIndex, validationActions: binding.spec.validationActions };
  const written = Object.entries(fields).map(([name, value]) => `"${name}":${goJson((value ?? null) as Json)}`);
  return `[{${written.join(",")}}]`;
}

async function judged(
  { store, authorizer }: Surroundings,
  { hook, seen, params }: Matched<ValidatingHook>,
  request: AdmissionRequest,
  view: ReturnType<typeof viewOf>,
): Promise<readonly Judgement[]> {
  if (params.length === 0) return [];
  const { object, live } = await view(seen);
  const namespace = await namespaceObject(store, request);
  const situation = { object, live, facts: requestFacts(request, seen), user: request.user, authorizer, namespace };
  const found: Judgement[] = [];
  for (const each of params) found.push(await judgement(hook, { ...situation, params: each }));
  return found;
}

const CODES: Readonly<Record<string, number>> = { Unauthorized: 401, Forbidden: 403, RequestEntityTooLarge: 413 };

function denied(request: AdmissionRequest, policy: string, binding: string | undefined, message: string, reason: string): ApiError {
  const by = binding === undefined ? `'${policy}'` : `'${policy}' with binding '${binding}'`;
  const text = `ValidatingAdmissionPolicy ${by} denied request: ${message}`;
  const { resource, name, object } = request;
  const { name: given, generateName } = object === undefined ? {} : metadataOf(object);
  const refusal = forbidden({ group: resource.group, resource: resource.plural }, name || given || generateName || "Unknown", text);
  const details = { ...refusal.details, causes: [{ message: text }] };
  return new ApiError(CODES[reason] ?? 422, reason || "Invalid", refusal.message, details);
}
