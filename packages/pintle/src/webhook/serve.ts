import type { Client } from "../client/index.ts";
import type { Clock, Random } from "../queue/index.ts";
import type { AnyResource } from "../resource/index.ts";
import type { CertificateFiles, KeyPair } from "../tls/index.ts";
import { admit, unreadable } from "./admission.ts";
import { LIFETIMES, type Lifetimes } from "./certificates/held.ts";
import { type Issued, issued } from "./certificates/issued.ts";
import { converted, families, unreadableConversion } from "./conversion.ts";
import { checkPaths, converting, definitionName, factsOf } from "./facts.ts";
import type { Log } from "./log.ts";
import { CONVERT_PATH, type Phase, pathOf, webhookNames } from "./names.ts";
import { patiently } from "./patiently.ts";
import { uidIn } from "./review.ts";
import { type Route, type WebhookServer, webhookServer } from "./server.ts";
import { checkStoredVersions } from "./stored-versions.ts";
import type { Webhook } from "./webhook.ts";

/** Where the certificate comes from. */
export type Certificates =
  /** From files, as cert-manager or anybody else keeps them; read again when they change. */
  | CertificateFiles
  /** Issued and renewed here, in a Secret, and told to everybody who must trust it; objects are named after the prefix. */
  | { readonly issued: string; readonly namespace: string; readonly lifetimes?: Partial<Lifetimes> | undefined }
  /** One that nobody vouches for, made at the start: for whoever tells the API server by other means. */
  | { readonly pair: KeyPair };

export interface ServeOptions {
  readonly webhooks: readonly Webhook[];
  /** Those that need converting are converted. */
  readonly resources: readonly AnyResource[];
  readonly host: string | undefined;
  readonly port: number;
  readonly certificates: Certificates;
  /** More names and addresses that the server is reached by, beside those of its Service. */
  readonly hosts?: readonly string[] | undefined;
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly observer: WebhookObserver;
  /** Gives up starting. */
  readonly signal: AbortSignal;
}

/** What a metrics registry hears. */
export interface WebhookObserver {
  /** Paths that will be asked, once, at the start. */
  paths(paths: readonly string[]): void;
  started(path: string): void;
  /** `threw`: the webhook had a bug. */
  finished(path: string, code: number, milliseconds: number, threw: boolean): void;
  conversionThrew(): void;
  certificateRead(well: boolean): void;
}

export interface Serving {
  readonly port: number;
  /** What is wrong, if anything: for a readiness probe. */
  check(): string | undefined;
  /** Answers what was asked, then is gone; after `grace` milliseconds at the latest. */
  close(grace: number): Promise<void>;
}

/** Serves webhooks and conversions: from the moment it resolves, every question gets an answer. */
export async function serve(options: ServeOptions): Promise<Serving> {
  const { webhooks, client, clock, log, observer, signal } = options;
  checkPaths(webhooks.map(factsOf));
  const resources = converting(options.resources);
  await patiently(() => checkStoredVersions(client, resources, log), clock, log, signal);
  const routes = new Map([...webhooks.flatMap(admissionRoutes), ...conversionRoutes(resources)]);
  observer.paths([...routes.keys()]);
  let server: WebhookServer | undefined;
  const source = await patiently(() => certificatesOf(options, resources, (pair) => server?.replace(pair)), clock, log, signal);
  server = await webhookServer({
    ...options,
    pair: source.pair,
    routes,
    failed: (error) => log.warn("a connection to the webhooks failed", { error }),
    observer: {
      started: observer.started,
      finished(path, { code, bug }, milliseconds) {
        if (bug !== undefined) log.error("a webhook threw", { path, error: bug });
        if (bug !== undefined && path === CONVERT_PATH) observer.conversionThrew();
        observer.finished(path, code, milliseconds, bug !== undefined && path !== CONVERT_PATH);
      },
    },
  }).catch(async (error: unknown) => {
    await source.close();
    throw error;
  });
  log.info("webhooks are served", { port: server.port, paths: [...routes.keys()] });
  return {
    port: server.port,
    check: source.check,
    async close(grace) {
      await server.close(grace);
      await source.close();
    },
  };
}

function admissionRoutes(webhook: Webhook): readonly (readonly [string, Route])[] {
  return factsOf(webhook).phases.map((phase: Phase) => [
    pathOf(phase, webhook),
    { answer: (bytes, signal) => admit(webhook, phase, bytes, signal), unreadable },
  ]);
}

function conversionRoutes(resources: readonly AnyResource[]): readonly (readonly [string, Route])[] {
  if (resources.length === 0) return [];
  const known = families(resources);
  const unreadable: Route["unreadable"] = (code, message, start) => unreadableConversion(code, message, uidIn(start));
  return [[CONVERT_PATH, { answer: (bytes) => converted(known, bytes), unreadable }]];
}

async function certificatesOf(
  { certificates, webhooks, hosts = [], client, clock, random, log, observer }: ServeOptions,
  resources: readonly AnyResource[],
  changed: (pair: KeyPair) => void,
): Promise<Issued> {
  if ("pair" in certificates) return { pair: certificates.pair, check: () => undefined, close: async () => {} };
  if ("issued" in certificates) {
    const { namespace, lifetimes } = certificates;
    const { service, secret, mutating, validating } = webhookNames(certificates.issued);
    const phases = new Set(webhooks.flatMap((webhook) => factsOf(webhook).phases));
    return issued({
      client,
      clock,
      random,
      log,
      secret: { namespace, name: secret },
      names: [`${service}.${namespace}.svc`, `${service}.${namespace}.svc.cluster.local`, ...hosts],
      targets: {
        mutating: phases.has("mutate") ? [mutating] : [],
        validating: phases.has("validate") ? [validating] : [],
        definitions: resources.map(definitionName),
      },
      lifetimes: { ...LIFETIMES, ...lifetimes },
      changed,
    });
  }
  const { certificateFiles } = await import("../tls/index.ts");
  const over = new AbortController();
  const pair = await certificateFiles(certificates, {
    clock,
    signal: over.signal,
    changed(next) {
      changed(next);
      observer.certificateRead(true);
      log.info("the certificate of the webhooks was replaced", { file: certificates.cert });
    },
    failed(error) {
      observer.certificateRead(false);
      log.warn("the new certificate of the webhooks cannot be used yet", { file: certificates.cert, error });
    },
  });
  observer.certificateRead(true);
  return { pair, check: () => undefined, close: async () => over.abort() };
}
