import type { Client } from "../../client/index.ts";
import type { Clock, Random } from "../../clock/index.ts";
import type { Logger } from "../../controller/index.ts";
import { type MetricsRegistry, negotiateFormat, TEXT_FORMAT } from "../../metrics/index.ts";
import type { FlightRecorder } from "../../recorder/index.ts";
import type { CertificateKeyPair } from "../../tls/index.ts";
import type { MetricsServerOptions } from "../options.ts";
import { openServingCertificate } from "./certificate.ts";
import {
  type HttpHandler,
  type HttpListener,
  type HttpReply,
  listenHttp,
  listenHttps,
  parseListenAddress,
  requiresAuthorization,
} from "./http-server.ts";
import { type HealthChecks, handleProbe } from "./probes.ts";
import { RECORDING_PATH, replyWithRecording } from "./recording.ts";
import { createTokenAuthorizer } from "./token-authorizer.ts";

/** Serves `/healthz` and `/readyz`. */
export async function serveHealth(
  address: string,
  health: HealthChecks,
  ready: HealthChecks,
  logger: Logger,
): Promise<HttpListener | undefined> {
  const listenAddress = parseListenAddress(address);
  if (listenAddress === undefined) return undefined;
  const onFailure = (endpoint: string) => (check: string, reason: string) =>
    logger.info("Health check failed", { endpoint, check, reason });
  return listenHttp(
    listenAddress,
    (_, url) => handleProbe("/healthz", health, url, onFailure("healthz")) ?? handleProbe("/readyz", ready, url, onFailure("readyz")),
  );
}

export interface MetricsServerDeps {
  readonly registry: MetricsRegistry;
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Served at `/recording`. Default: nothing is recorded. */
  readonly recorder?: FlightRecorder | undefined;
}

/**
 * Serves `/metrics`, with or without authorization and TLS, and the recording, if there is one, at `/recording`: to authorized users only, whatever the address,
 * because it has objects that not everybody who reaches it may read.
 */
export async function serveMetrics(options: MetricsServerOptions, deps: MetricsServerDeps): Promise<HttpListener | undefined> {
  const { registry, client, clock, recorder } = deps;
  const address = parseListenAddress(options.address);
  if (address === undefined) return undefined;
  const requireAuthorization = requiresAuthorization(options);
  const checkAccess = createTokenAuthorizer(client, clock);
  const handler: HttpHandler = async ({ headers, method }, url) => {
    const { pathname } = url;
    const isRecording = pathname === RECORDING_PATH && recorder !== undefined;
    if (pathname !== "/metrics" && !isRecording) return undefined;
    const denied = requireAuthorization || isRecording ? await checkAccess(headers.authorization, pathname) : undefined;
    if (denied !== undefined) return { status: denied, body: denied === 401 ? "Unauthorized\n" : "Forbidden\n" };
    if (isRecording)
      return method === "GET" ? replyWithRecording(recorder, clock, url) : { status: 405, body: "the recording is read-only\n" };
    return renderMetrics(registry, headers.accept);
  };
  // Bearer tokens need TLS.
  const { tls = requireAuthorization } = options;
  if (tls === false) return listenHttp(address, handler);
  let replace = (_: CertificateKeyPair) => {};
  const certificate = await openServingCertificate(tls, deps, (next) => replace(next));
  const server = await listenHttps(address, certificate.pair, handler).catch(async (error: unknown) => {
    await certificate.close();
    throw error;
  });
  replace = server.replace;
  return {
    port: server.port,
    async close() {
      await certificate.close();
      await server.close();
    },
  };
}

/** Renders the metrics in the format that the client prefers; in the plain text format if a controller's metrics exist in no other one. */
function renderMetrics(registry: MetricsRegistry, accept: string | undefined): HttpReply {
  const { type, isOpenMetrics } = negotiateFormat(accept);
  const text = isOpenMetrics ? registry.renderOpenMetrics() : undefined;
  return text === undefined
    ? { status: 200, body: registry.render(), type: TEXT_FORMAT.type }
    : { status: 200, body: `${text}# EOF\n`, type };
}
