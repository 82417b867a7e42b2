import { type Client, ConnectionError, ServerError, Timeout, TooManyRequests } from "../../client/index.ts";
import type { Clock, Random } from "../../clock/index.ts";
import type { AnyResource } from "../../resource/index.ts";
import type { SpanContext } from "../../telemetry/index.ts";
import type { CertificateFiles, CertificateKeyPair } from "../../tls/index.ts";
import { type CertificateLifetimes, DEFAULT_LIFETIMES } from "../certificates/certificate-set.ts";
import { issueCertificates, type ServingCertificates } from "../certificates/issue-certificates.ts";
import { checkUniquePaths, crdName, describeWebhook, resourcesWithConversion } from "../configuration/describe-webhooks.ts";
import { type AdmissionPhase, CONVERT_PATH, serviceHosts, webhookNames, webhookPath } from "../configuration/webhook-names.ts";
import type { Webhook } from "../declare/webhook.ts";
import { extractUid } from "../review/parse-review.ts";
import { rejectUnreadableAdmission, reviewAdmission } from "../review/review-admission.ts";
import { rejectUnreadableConversion, resourcesByGroupKind, reviewConversion } from "../review/review-conversion.ts";
import { checkStoredVersions } from "./check-stored-versions.ts";
import { type ReviewRoute, type ReviewServer, startReviewServer } from "./review-server.ts";
import type { WebhookLog } from "./webhook-log.ts";

/** The source of the serving certificate. */
export type CertificateSource =
  /** Files, such as those of a mounted cert-manager Secret; read again when they change. */
  | CertificateFiles
  /** Issued and renewed by the operator, stored in a Secret and injected into the webhook configurations. `issued` is the prefix of their names. */
  | { readonly issued: string; readonly namespace: string; readonly lifetimes?: Partial<CertificateLifetimes> | undefined }
  /** A given certificate, whose authority is configured by other means. */
  | { readonly pair: CertificateKeyPair };

/** Options of `serveWebhooks`. */
export interface ServeWebhooksOptions {
  readonly webhooks: readonly Webhook[];
  /** The resources of the operator; those that need conversion get a conversion webhook. */
  readonly resources: readonly AnyResource[];
  /** The address to listen on; undefined for all addresses. */
  readonly host: string | undefined;
  /** The port to listen on; 0 for a free one. */
  readonly port: number;
  readonly certificates: CertificateSource;
  /** DNS names and IP addresses of the server in addition to those of its Service. Default: none. */
  readonly hosts?: readonly string[] | undefined;
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: WebhookLog;
  readonly observer: WebhookObserver;
  /** Aborts starting. */
  readonly signal: AbortSignal;
}

/** Receives the events of the webhook server, for metrics. */
export interface WebhookObserver {
  /** Called once at the start with all paths that are served. */
  paths(paths: readonly string[]): void;
  started(path: string): void;
  /** Called after every review. `threw` is true if the webhook threw an unexpected error. */
  finished(path: string, code: number, milliseconds: number, threw: boolean, span: SpanContext | undefined): void;
  conversionThrew(): void;
  certificateLoaded(success: boolean): void;
}

/** A running webhook server. */
export interface RunningWebhookServer {
  readonly port: number;
  /** Returns the problem of the server, for a readiness probe; undefined if there is none. */
  check(): string | undefined;
  /** Stops accepting requests and resolves when the active ones have finished, after `grace` milliseconds at the latest. */
  close(grace: number): Promise<void>;
}

/** Serves webhooks and conversions. Resolves when the server accepts requests. */
export async function startWebhookServer(options: ServeWebhooksOptions): Promise<RunningWebhookServer> {
  const { webhooks, client, clock, log, observer, signal } = options;
  checkUniquePaths(webhooks.map(describeWebhook));
  const resources = resourcesWithConversion(options.resources);
  await retryWhileUnavailable(() => checkStoredVersions(client, resources, log), clock, log, signal);
  const routes = new Map([...webhooks.flatMap(admissionRoutes), ...conversionRoutes(resources)]);
  observer.paths([...routes.keys()]);
  let server: ReviewServer | undefined;
  const source = await retryWhileUnavailable(
    () => openCertificateSource(options, resources, (pair) => server?.replaceCertificate(pair)),
    clock,
    log,
    signal,
  );
  server = await startReviewServer({
    ...options,
    pair: source.pair,
    routes,
    onConnectionError: (error) => log.warn("Webhook connection failed", { error }),
    observer: {
      started: observer.started,
      finished(path, { code, thrown }, milliseconds, span) {
        if (thrown !== undefined) log.error("Webhook threw an error", { path, error: thrown });
        if (thrown !== undefined && path === CONVERT_PATH) observer.conversionThrew();
        observer.finished(path, code, milliseconds, thrown !== undefined && path !== CONVERT_PATH, span);
      },
    },
  }).catch(async (error: unknown) => {
    await source.close();
    throw error;
  });
  log.info("Serving webhooks", { port: server.port, paths: [...routes.keys()] });
  return {
    port: server.port,
    check: source.check,
    async close(grace) {
      await server.close(grace);
      await source.close();
    },
  };
}

function admissionRoutes(webhook: Webhook): readonly (readonly [string, ReviewRoute])[] {
  return describeWebhook(webhook).phases.map((phase: AdmissionPhase) => [
    webhookPath(phase, webhook),
    { handle: (bytes, signal) => reviewAdmission(webhook, phase, bytes, signal), reject: rejectUnreadableAdmission },
  ]);
}

function conversionRoutes(resources: readonly AnyResource[]): readonly (readonly [string, ReviewRoute])[] {
  if (resources.length === 0) return [];
  const known = resourcesByGroupKind(resources);
  const reject: ReviewRoute["reject"] = (code, message, start) => rejectUnreadableConversion(code, message, extractUid(start));
  return [[CONVERT_PATH, { handle: (bytes) => reviewConversion(known, bytes), reject }]];
}

async function openCertificateSource(
  { certificates, webhooks, hosts = [], client, clock, random, log, observer }: ServeWebhooksOptions,
  resources: readonly AnyResource[],
  onChange: (pair: CertificateKeyPair) => void,
): Promise<ServingCertificates> {
  if ("pair" in certificates) return { pair: certificates.pair, check: () => undefined, close: async () => {} };
  if ("issued" in certificates) {
    const { namespace, lifetimes } = certificates;
    const { service, secret, mutating, validating } = webhookNames(certificates.issued);
    const phases = new Set(webhooks.flatMap((webhook) => describeWebhook(webhook).phases));
    return issueCertificates({
      client,
      clock,
      random,
      log,
      purpose: "webhook",
      secret: { namespace, name: secret },
      names: [...serviceHosts(service, namespace), ...hosts],
      targets: {
        mutating: phases.has("mutate") ? [mutating] : [],
        validating: phases.has("validate") ? [validating] : [],
        definitions: resources.map(crdName),
      },
      lifetimes: { ...DEFAULT_LIFETIMES, ...lifetimes },
      onChange,
    });
  }
  const { watchCertificateFiles } = await import("../../tls/index.ts");
  const stopping = new AbortController();
  const pair = await watchCertificateFiles(certificates, {
    clock,
    signal: stopping.signal,
    onChange(next) {
      onChange(next);
      observer.certificateLoaded(true);
      log.info("Replaced webhook serving certificate", { file: certificates.cert });
    },
    onError(error) {
      observer.certificateLoaded(false);
      log.warn("Reloading webhook serving certificate failed", { file: certificates.cert, error });
    },
  });
  observer.certificateLoaded(true);
  return { pair, check: () => undefined, close: async () => stopping.abort() };
}

const MAX_WAIT = 120_000;
const RETRY_DELAY = 1_000;

/** Retries for up to two minutes while the API server is unavailable or busy, as it is when a whole cluster starts. */
async function retryWhileUnavailable<T>(work: () => Promise<T>, clock: Clock, log: WebhookLog, signal: AbortSignal): Promise<T> {
  const until = clock.monotonic() + MAX_WAIT;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isTransient =
        error instanceof ConnectionError || error instanceof ServerError || error instanceof Timeout || error instanceof TooManyRequests;
      if (!isTransient || signal.aborted || clock.monotonic() > until) throw error;
      log.warn("Starting webhooks failed, retrying", { error });
      await clock.sleep(RETRY_DELAY, signal);
    }
  }
}
