/**
 * Admission that users configure: webhooks, and policies in CEL. Comes in: a request on its way, with its objects; the
 * configurations are followed in the store. Goes out: plugins of the admission chain, the order in which all plugins run,
 * and the caller by which webhooks (for conversion too) are asked. Nothing here knows a kind by name but those that
 * configure it.
 */
import type { Random } from "pintle/queue";
import type { AdmissionPlugin, Authorizer } from "../api/index.ts";
import type { Store } from "../store/index.ts";
import type { Caller } from "./call/caller.ts";
import { follow } from "./following.ts";
import { policyHooks } from "./policy/hooks.ts";
import { mutatingPolicies } from "./policy/mutating.ts";
import { compileMutations } from "./policy/mutations.ts";
import { validatingPolicies } from "./policy/validating.ts";
import { compileValidations } from "./policy/validations.ts";
import { hooksOf } from "./webhook/hook.ts";
import { mutatingWebhooks } from "./webhook/mutating.ts";
import { validatingWebhooks } from "./webhook/validating.ts";

export { type Caller, type CallerOptions, type ClientConfig, caller, type Disturbance } from "./call/caller.ts";
export { type ServiceName, type ServiceRoutes, type ServiceTarget, serviceRoutes } from "./call/service-routes.ts";
export { ADMISSION_PLUGINS, chain, type PluginChoice } from "./chain.ts";
export {
  ANNOTATION,
  CONDITION,
  type CompileOptions,
  type Environment,
  environment,
  MESSAGE,
  type Wanted,
} from "./expressions/environment.ts";
export { CONFIGURATION, OPERATIONS, patchTypes } from "./expressions/patch-types.ts";

export interface ConfiguredAdmissionOptions {
  readonly store: Store;
  /** For what no value depends on. */
  readonly jitter: Random;
  readonly authorizer: Authorizer;
  readonly caller: Caller;
}

export interface ConfiguredAdmission {
  readonly plugins: readonly AdmissionPlugin[];
  stop(): void;
}

const MUTATING = "mutatingwebhookconfigurations";
const VALIDATING = "validatingwebhookconfigurations";
const POLICIES = "validatingadmissionpolicies";
const BINDINGS = "validatingadmissionpolicybindings";
const MUTATING_POLICIES = "mutatingadmissionpolicies";
const MUTATING_BINDINGS = "mutatingadmissionpolicybindings";
const FOLLOWED = [MUTATING, VALIDATING, POLICIES, BINDINGS, MUTATING_POLICIES, MUTATING_BINDINGS];

/** Webhooks and policies as the store has them at any time; while there are none, they cost nothing. */
export async function configuredAdmission(options: ConfiguredAdmissionOptions): Promise<ConfiguredAdmission> {
  const { store } = options;
  let generation = 0;
  const followed = await follow(store, FOLLOWED, () => generation++);
  /** Made anew when something changed, and not before it is asked for. */
  const current = <T>(make: () => T): (() => T) => {
    let made: T | undefined;
    let of = -1;
    return () => {
      if (made === undefined || of !== generation) made = make();
      of = generation;
      return made;
    };
  };
  const validating = policyHooks(compileValidations);
  const mutating = policyHooks(compileMutations);
  return {
    plugins: [
      mutatingPolicies(
        options,
        current(() => mutating(followed.of(MUTATING_POLICIES), followed.of(MUTATING_BINDINGS))),
      ),
      mutatingWebhooks(
        options,
        current(() => hooksOf(followed.of(MUTATING))),
      ),
      validatingPolicies(
        options,
        current(() => validating(followed.of(POLICIES), followed.of(BINDINGS))),
      ),
      validatingWebhooks(
        options,
        current(() => hooksOf(followed.of(VALIDATING))),
      ),
    ],
    stop: followed.stop,
  };
}
