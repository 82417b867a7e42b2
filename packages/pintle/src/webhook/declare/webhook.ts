import type { KindInfo } from "../../kinds/index.ts";
import type { AdmissionOperation, AdmissionRequest, AdmittedObject, MutableObject } from "./admission-request.ts";
import { resolveRegistration, type WebhookRegistration, type WebhookRegistrationOptions } from "./registration.ts";
import { validateWebhook } from "./validate-webhook.ts";
import type { ValidationResult } from "./validation-result.ts";

/** Options of `webhook`. */
export interface WebhookOptions<K, O extends AdmissionOperation, S extends string> extends WebhookRegistrationOptions<O, S> {
  /** Distinguishes several webhooks for the same kind. Default: none. */
  readonly name?: string | undefined;
  /**
   * Sets fields that the client omitted: changes the object in place, or returns another one. Only the difference is sent back, so unknown
   * fields are preserved. Called before `validate`, and before the API server validates the schema. Default: none.
   */
  readonly default?:
    | ((
        object: MutableObject<AdmittedObject<K, S>>,
        request: AdmissionRequest<AdmittedObject<K, S>, Exclude<O, "DELETE">>,
      ) => DefaultResult | Promise<DefaultResult>)
    | undefined;
  /**
   * Admits or rejects a request. Returns field errors, or throws `denyAdmission(...)` to deny the request as a whole. Any other error that
   * it throws is reported as 500 Internal Server Error. Default: none.
   */
  readonly validate?:
    | ((
        request: AdmissionRequest<AdmittedObject<K, S>, O>,
      ) => ValidationResult<AdmittedObject<K, S>> | Promise<ValidationResult<AdmittedObject<K, S>>>)
    | undefined;
}

/** The result of `default`: nothing if the object was changed in place, otherwise the new object. */
// biome-ignore lint/suspicious/noConfusingVoidType: a function that changes the object in place returns nothing
export type DefaultResult = void | undefined | object;

/** A declared webhook: made by `webhook()`, served by `run({ webhooks })`. */
export interface Webhook {
  readonly name: string | undefined;
  readonly kind: KindInfo;
  readonly registration: WebhookRegistration;
  readonly default: ((object: any, request: any) => unknown) | undefined;
  readonly validate: ((request: any) => unknown) | undefined;
}

/**
 * Declares an admission webhook for a kind: a custom resource, a built-in kind or a kind of another operator. `run({ webhooks })` serves
 * it.
 *
 * Guarantees: throws `InvalidWebhook` for options that the API server would reject. A constraint that a schema or a CEL rule can express
 * needs no webhook: `celRule()` in `defineResource` is enforced while the operator is down too.
 *
 * @example
 * ```ts
 * import { defineResource, webhook, z } from "pintle";
 *
 * const Memcached = defineResource({
 *   group: "cache.example.com",
 *   version: "v1",
 *   kind: "Memcached",
 *   spec: z.object({ size: z.int().default(1), image: z.string().optional() }),
 * });
 *
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
 */
export function webhook<
  K extends KindInfo & { readonly "~": { readonly read: unknown } },
  const O extends AdmissionOperation = "CREATE" | "UPDATE",
  const S extends string = never,
>(kind: K, options: WebhookOptions<K, O, S>): Webhook {
  const { name, validate } = options;
  const declared: Webhook = { name, kind, registration: resolveRegistration(options), default: options.default, validate };
  validateWebhook(kind, {
    name,
    registration: declared.registration,
    hasDefault: declared.default !== undefined,
    hasValidate: validate !== undefined,
  });
  return Object.freeze(declared);
}
