import { PintleError } from "../../errors/index.ts";

/**
 * Thrown by `webhook` for a webhook that the API server would reject or never call.
 *
 * @example
 * ```ts
 * import { defineResource, InvalidWebhook, webhook, z } from "pintle";
 *
 * const Thing = defineResource({ group: "example.com", version: "v1", kind: "Thing", spec: z.object({ size: z.int32() }) });
 * try {
 *   webhook(Thing, { timeoutSeconds: 60, validate: () => [] });
 * } catch (error) {
 *   if (!(error instanceof InvalidWebhook)) throw error;
 *   console.error(error.message); // webhook for Thing: timeoutSeconds: 60 is not from 1 to 30; ...
 * }
 * ```
 */
export class InvalidWebhook extends PintleError {
  override readonly name = "InvalidWebhook";
  constructor(kind: string, option: string, problem: string, advice: string) {
    super("PINTLE5001", `webhook for ${kind}: ${option}: ${problem}; ${advice}`);
  }
}
