import type { Random } from "pintle/internal/clock";
import type { JsonObject } from "pintle/kinds";
import { type AdmissionPlugin, type Authorizer, getMetadata } from "../api/index.ts";
import type { ObjectStore } from "../store/index.ts";
import type { WebhookRecorder } from "./admission-deps.ts";
import { createMutatingPolicyPlugin } from "./policy/mutating-policies.ts";
import { compileMutations } from "./policy/mutations.ts";
import { createPolicyHookCompiler } from "./policy/policy-hooks.ts";
import { createValidatingPolicyPlugin } from "./policy/validating-policies.ts";
import { compileValidations } from "./policy/validations.ts";
import { createMutatingWebhookPlugin } from "./webhook/mutating-webhooks.ts";
import { createValidatingWebhookPlugin } from "./webhook/validating-webhooks.ts";
import { listWebhooks } from "./webhook/webhook.ts";
import type { WebhookClient } from "./webhook-client/webhook-client.ts";

export interface ConfiguredAdmissionOptions {
  readonly store: ObjectStore;
  /** Random source for values that are not stored. */
  readonly jitter: Random;
  readonly authorizer: Authorizer;
  readonly webhookClient: WebhookClient;
  readonly recordWebhook?: WebhookRecorder | undefined;
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
const WATCHED_RESOURCES = [MUTATING, VALIDATING, POLICIES, BINDINGS, MUTATING_POLICIES, MUTATING_BINDINGS];

/** Creates the plugins for the stored webhooks and policies; they cost nothing while there are none. */
export async function createConfiguredAdmission(options: ConfiguredAdmissionOptions): Promise<ConfiguredAdmission> {
  const { store } = options;
  let generation = 0;
  const configurations = await watchConfigurations(store, WATCHED_RESOURCES, () => generation++);
  /** Computes a value lazily, once per change of the configurations. */
  const cacheByGeneration = <T>(make: () => T): (() => T) => {
    let value: T | undefined;
    let of = -1;
    return () => {
      if (value === undefined || of !== generation) value = make();
      of = generation;
      return value;
    };
  };
  const validating = createPolicyHookCompiler(compileValidations);
  const mutating = createPolicyHookCompiler(compileMutations);
  return {
    plugins: [
      createMutatingPolicyPlugin(
        options,
        cacheByGeneration(() => mutating(configurations.list(MUTATING_POLICIES), configurations.list(MUTATING_BINDINGS))),
      ),
      createMutatingWebhookPlugin(
        options,
        cacheByGeneration(() => listWebhooks(configurations.list(MUTATING))),
      ),
      createValidatingPolicyPlugin(
        options,
        cacheByGeneration(() => validating(configurations.list(POLICIES), configurations.list(BINDINGS))),
      ),
      createValidatingWebhookPlugin(
        options,
        cacheByGeneration(() => listWebhooks(configurations.list(VALIDATING))),
      ),
    ],
    stop: configurations.stop,
  };
}

/** Current objects of the watched resources. */
interface WatchedConfigurations {
  /** Sorted by name; the same array until something changes. */
  list(plural: string): readonly JsonObject[];
  stop(): void;
}

/** Watches cluster-scoped resources that are few and read on every request. */
async function watchConfigurations(store: ObjectStore, plurals: readonly string[], changed: () => void): Promise<WatchedConfigurations> {
  const known = new Map<string, readonly JsonObject[]>();
  const stops: (() => void)[] = [];
  for (const plural of plurals) {
    const prefix = `/registry/${plural}/`;
    const { entries, revision } = await store.range(prefix);
    known.set(plural, entries.map(({ value }) => value).sort(compareByName));
    stops.push(
      await store.watch(prefix, revision, ({ type, value }) => {
        const { name } = getMetadata(value);
        const others = known.get(plural)!.filter((each) => getMetadata(each).name !== name);
        known.set(plural, type === "put" ? [...others, value].sort(compareByName) : others);
        changed();
      }),
    );
  }
  return {
    list: (plural) => known.get(plural)!,
    stop() {
      for (const stop of stops) stop();
    },
  };
}

function compareByName(a: JsonObject, b: JsonObject): number {
  return (getMetadata(a).name ?? "") < (getMetadata(b).name ?? "") ? -1 : 1;
}
