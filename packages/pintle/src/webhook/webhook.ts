import type { KindFacts } from "../kinds/index.ts";
import { audit } from "./audit.ts";
import { type Matching, type MatchingOptions, matching } from "./matching.ts";
import type { AdmissionRequest, Admitted, Draft, Operation } from "./request.ts";
import type { Verdict } from "./verdict.ts";

export interface WebhookOptions<K, O extends Operation, S extends string> extends MatchingOptions<O, S> {
  /** Tells two webhooks for the same kind apart. Default: none is needed. */
  readonly name?: string | undefined;
  /**
   * Fills in what the client left out: change the object, or return another one. Only what differs is sent back, so fields
   * that no type knows stay as they are. Asked before `validate`, and before the schema is checked.
   */
  readonly default?:
    | ((object: Draft<Admitted<K, S>>, request: AdmissionRequest<Admitted<K, S>, Exclude<O, "DELETE">>) => Defaulted | Promise<Defaulted>)
    | undefined;
  /** Yes or no. Returns what is wrong, by field; throws `denied(...)` for what is wrong with the whole. Any other throw is a 500. */
  readonly validate?:
    | ((request: AdmissionRequest<Admitted<K, S>, O>) => Verdict<Admitted<K, S>> | Promise<Verdict<Admitted<K, S>>>)
    | undefined;
}

/** Nothing, when the object was changed in place; or the object to go on with. */
// biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing is one of its two forms
export type Defaulted = void | undefined | object;

/** What a webhook is, as a value: made by `webhook()`, served by `run({ webhooks })`. */
export interface Webhook {
  readonly name: string | undefined;
  readonly kind: KindFacts;
  readonly matching: Matching;
  readonly default: ((object: any, request: any) => unknown) | undefined;
  readonly validate: ((request: any) => unknown) | undefined;
}

/**
 * Has a say before objects of a kind are stored: our own, a built-in one, or somebody else's.
 *
 * ```ts
 * export const memcachedWebhook = webhook(Memcached, {
 *   default(object) {
 *     object.spec.image ??= "memcached:1.6";
 *   },
 *   validate({ object, old }) {
 *     const shrinks = old !== undefined && object.spec.size < old.spec.size - 1;
 *     return shrinks ? [{ field: "spec.size", message: "may shrink by one at a time" }] : [];
 *   },
 * });
 * ```
 *
 * Guarantees: throws InvalidWebhook for what an API server would refuse. What a schema or a CEL rule can say needs no
 * webhook: `rule()` in `defineResource` also holds while the operator is down.
 */
export function webhook<
  K extends KindFacts & { readonly "~": { readonly read: unknown } },
  const O extends Operation = "CREATE" | "UPDATE",
  const S extends string = never,
>(kind: K, options: WebhookOptions<K, O, S>): Webhook {
  const { name, validate } = options;
  const made: Webhook = { name, kind, matching: matching(options), default: options.default, validate };
  audit(kind, { name, matching: made.matching, defaults: made.default !== undefined, validates: validate !== undefined });
  return Object.freeze(made);
}
