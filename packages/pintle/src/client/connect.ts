import { isatty } from "node:tty";
import { systemClock } from "../clock/index.ts";
import {
  type ClusterAccess,
  type ClusterAccessOptions,
  createCredentialSource,
  type Impersonation,
  loadClusterAccess,
} from "./access/index.ts";
import type { Client } from "./client.ts";
import { type ClientOptions, createClient } from "./create-client.ts";
import type { Transport } from "./transport.ts";

/** Options of `connect`. */
export interface ConnectOptions extends ClientOptions, TransportOptions, ClusterAccessOptions {
  /** The cluster access. Default: that of `loadClusterAccess()`. */
  readonly access?: ClusterAccess | undefined;
}

/** Options of an HTTP transport. */
export interface TransportOptions {
  /** The user to act as. Default: that of the kubeconfig. */
  readonly impersonate?: Impersonation | undefined;
  /** Default: "pintle (platform/arch) node/version". */
  readonly userAgent?: string | undefined;
  /** Milliseconds until a response must begin, and that may pass without data in the middle of one. Default: 75,000, longer than the timeout of API servers. */
  readonly timeout?: number | undefined;
  /** Default: the system clock. */
  readonly clock?: ClientOptions["clock"];
  /** Returns numbers in [0, 1). Default: `Math.random`. */
  readonly random?: ClientOptions["random"];
}

const DEFAULT_TIMEOUT_MS = 75_000;

/**
 * Returns a client for the API server of `access`, or of the kubeconfig or pod that `loadClusterAccess()` finds. Sends no request.
 * Throws `ConfigError` if there is no usable access.
 *
 * @example
 * ```ts
 * import { connect } from "pintle/client";
 * import { Pod } from "pintle/kinds/core/v1";
 *
 * const client = await connect();
 * for (const pod of (await client.list(Pod, { namespace: "kube-system" })).items) console.log(pod.metadata.name);
 * await client.close();
 * ```
 */
export async function connect(options: ConnectOptions = {}): Promise<Client> {
  const access = options.access ?? (await loadClusterAccess(options));
  const transport = await createTransport(access, options);
  return createClient(transport, { ...options, namespace: options.namespace ?? access.namespace });
}

/**
 * Returns an HTTP transport: pooled connections, credentials that are refreshed, retries where they are safe.
 *
 * @example
 * ```ts
 * import { createTransport, loadClusterAccess } from "pintle/client";
 *
 * const transport = await createTransport(await loadClusterAccess(), { timeout: 10_000 });
 * const response = await transport.request({ method: "GET", path: "/version" });
 * console.log(response.status, await response.json());
 * await transport.close();
 * ```
 */
export async function createTransport(access: ClusterAccess, options: TransportOptions = {}): Promise<Transport> {
  const { clock = systemClock, random = Math.random, userAgent = defaultUserAgent(), timeout = DEFAULT_TIMEOUT_MS } = options;
  const effectiveAccess =
    options.impersonate === undefined ? access : { ...access, user: { ...access.user, impersonate: options.impersonate } };
  // Loaded on demand: programs that only use kinds or an embedded cluster do not need it.
  const { createHttpTransport, createRetryingTransport } = await import("./http/index.ts");
  const credentialSource = createCredentialSource(effectiveAccess, clock, { env: process.env, hasTerminal: isatty(0) });
  return createRetryingTransport(createHttpTransport(effectiveAccess, credentialSource, { userAgent, timeout }), clock, random);
}

/**
 * Returns the bearer token that a client with this access sends: of the kubeconfig, a file, or an exec plugin. Undefined if it has none, as with a client
 * certificate. For services that are no API server, but know its users.
 *
 * @example
 * ```ts
 * import { loadBearerToken, loadClusterAccess } from "pintle/client";
 *
 * const token = await loadBearerToken(await loadClusterAccess({ context: "prod" }));
 * console.log(token === undefined ? "a certificate" : "a token");
 * ```
 */
export async function loadBearerToken(access: ClusterAccess): Promise<string | undefined> {
  const source = createCredentialSource(access, systemClock, { env: process.env, hasTerminal: isatty(0) });
  const { authorization } = await source.current();
  return authorization?.startsWith("Bearer ") === true ? authorization.slice("Bearer ".length) : undefined;
}

function defaultUserAgent(): string {
  return `pintle (${process.platform}/${process.arch}) node/${process.versions.node}`;
}
