import type { JsonObject } from "pintle/kinds";
import type { AdmissionPlugin, AdmissionRequest } from "../api/index.ts";
import { createReinvocationContexts, type ReinvocationContext } from "./reinvocation.ts";

const GROUP = "admissionregistration.k8s.io";
const EXEMPT = new Set([
  "ValidatingWebhookConfiguration",
  "MutatingWebhookConfiguration",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionPolicyBinding",
  "MutatingAdmissionPolicy",
  "MutatingAdmissionPolicyBinding",
]);

/**
 * Whether hooks apply. Without hooks nothing is awaited. Admission configuration itself is exempt: otherwise a broken hook could not be
 * repaired.
 */
function isSubjectToHooks<Hook>(hooks: readonly Hook[], { kind }: AdmissionRequest): boolean {
  return hooks.length > 0 && !(kind.group === GROUP && EXEMPT.has(kind.kind));
}

/** Creates an admission plugin that mutates objects by the currently configured hooks. */
export function createMutatingPlugin<Hook>(
  name: string,
  hooks: () => readonly Hook[],
  mutate: (hooks: readonly Hook[], request: AdmissionRequest, rounds: ReinvocationContext) => Promise<JsonObject | undefined>,
): AdmissionPlugin {
  const roundsOf = createReinvocationContexts();
  return {
    name,
    admit(request) {
      const all = hooks();
      return isSubjectToHooks(all, request) ? mutate(all, request, roundsOf(request.reinvocation)) : undefined;
    },
  };
}

/** Creates an admission plugin that validates objects by the currently configured hooks. */
export function createValidatingPlugin<Hook>(
  name: string,
  hooks: () => readonly Hook[],
  validateRequest: (hooks: readonly Hook[], request: AdmissionRequest) => Promise<void>,
): AdmissionPlugin {
  return {
    name,
    validate(request) {
      const all = hooks();
      return isSubjectToHooks(all, request) ? validateRequest(all, request) : undefined;
    },
  };
}
