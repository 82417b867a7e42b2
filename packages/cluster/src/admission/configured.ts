import type { JsonObject } from "pintle/kinds";
import type { AdmissionPlugin, AdmissionRequest } from "../api/index.ts";
import { type Rounds, roundsByRequest } from "./rounds.ts";

const GROUP = "admissionregistration.k8s.io";
const EXEMPT = new Set([
  "ValidatingWebhookConfiguration",
  "MutatingWebhookConfiguration",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionPolicyBinding",
  "MutatingAdmissionPolicy",
  "MutatingAdmissionPolicyBinding",
]);

/** Nothing is waited for while nothing is configured. What decides about admission is not subject to it: nobody could repair it. */
function concerned<Hook>(hooks: readonly Hook[], { kind }: AdmissionRequest): boolean {
  return hooks.length > 0 && !(kind.group === GROUP && EXEMPT.has(kind.kind));
}

/** The link of the chain where those hooks change objects that are configured at the moment. */
export function changing<Hook>(
  name: string,
  hooks: () => readonly Hook[],
  change: (hooks: readonly Hook[], request: AdmissionRequest, rounds: Rounds) => Promise<JsonObject | undefined>,
): AdmissionPlugin {
  const roundsOf = roundsByRequest();
  return {
    name,
    admit(request) {
      const all = hooks();
      return concerned(all, request) ? change(all, request, roundsOf(request.reinvocation)) : undefined;
    },
  };
}

/** The link of the chain where they only judge. */
export function judging<Hook>(
  name: string,
  hooks: () => readonly Hook[],
  judge: (hooks: readonly Hook[], request: AdmissionRequest) => Promise<void>,
): AdmissionPlugin {
  return {
    name,
    validate(request) {
      const all = hooks();
      return concerned(all, request) ? judge(all, request) : undefined;
    },
  };
}
