import { PintleError } from "../../errors/index.ts";

/**
 * The configuration of the cluster access cannot be used. No request was sent.
 *
 * @example
 * ```ts
 * import { ConfigError, connect } from "pintle/client";
 *
 * const client = await connect().catch((error: unknown) => {
 *   if (error instanceof ConfigError) console.error(`${error.code}: ${error.message}`);
 *   throw error;
 * });
 * console.log(client.namespace);
 * ```
 */
export class ConfigError extends PintleError {
  override readonly name = "ConfigError";
}

/**
 * Credentials could not be obtained. No request was sent. A retry may succeed once the exec plugin works again.
 *
 * @example
 * ```ts
 * import { connect, CredentialsError } from "pintle/client";
 * import { Pod } from "pintle/kinds/core/v1";
 *
 * const client = await connect();
 * await client.list(Pod).catch((error: unknown) => {
 *   if (error instanceof CredentialsError) console.error("log in again:", error.message);
 *   else throw error;
 * });
 * ```
 */
export class CredentialsError extends PintleError {
  override readonly name = "CredentialsError";
}
