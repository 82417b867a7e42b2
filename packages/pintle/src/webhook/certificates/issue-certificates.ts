import { createCache } from "../../cache/index.ts";
import { AlreadyExists, type Client, Conflict, Forbidden } from "../../client/index.ts";
import { type Clock, createAbortController, type Random } from "../../clock/index.ts";
import { PintleError, runInBackground } from "../../errors/index.ts";
import { Secret } from "../../kinds/generated/core/v1.ts";
import type { CertificateKeyPair } from "../../tls/index.ts";
import type { WebhookLog } from "../server/webhook-log.ts";
import { type CaInjectionTargets, createCaInjector } from "./ca-injector.ts";
import { parseSecret, toSecretData } from "./certificate-secret.ts";
import { type CertificateLifetimes, type CertificateSet, getLeafExpiry, nextRenewalTime, renewCertificates } from "./certificate-set.ts";

/** Options of `issueCertificates`. */
export interface IssueCertificatesOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: WebhookLog;
  /** What the certificates are for, in messages. */
  readonly purpose: "webhook" | "metrics";
  /** The Secret that stores the certificates; the same for all replicas. */
  readonly secret: { readonly namespace: string; readonly name: string };
  /** The DNS names and IP addresses of the server. */
  readonly names: readonly string[];
  readonly targets: CaInjectionTargets;
  readonly lifetimes: CertificateLifetimes;
  /** Called with every new serving certificate. */
  onChange(pair: CertificateKeyPair): void;
}

/** The serving certificate of a server, from any source. */
export interface ServingCertificates {
  readonly pair: CertificateKeyPair;
  /** Returns the problem of the certificates, for a readiness probe; undefined if there is none. */
  check(): string | undefined;
  close(): Promise<void>;
}

const RETRY_DELAY = 1_000;
const MAX_RETRY_DELAY = 60_000;
/** The time after which the certificates are checked even without a watch event. */
const RESYNC_PERIOD = 600_000;

/**
 * Issues a certificate authority and a serving certificate, stores them in a Secret, renews them in time and injects the CA bundle into
 * webhook configurations. Any replica may renew; the others see a conflict or a watch event and use the stored certificates, so all
 * replicas share one set. Resolves when there is a serving certificate.
 */
export async function issueCertificates(options: IssueCertificatesOptions): Promise<ServingCertificates> {
  const { client, clock, random, log, purpose, secret, names, lifetimes } = options;
  const stopping = createAbortController();
  const { signal } = stopping;
  let interruptWait = () => {};
  let isChanged = false;
  const notifyChange = () => {
    isChanged = true;
    interruptWait();
  };
  const localCache = createCache({
    client,
    clock,
    random,
    observer: {
      onWatchProblem: (kind, _, trouble) =>
        trouble && log.warn(`Watch for ${purpose} certificates failed`, { kind: kind.kind, problem: trouble.message }),
    },
  });
  const caInjector = createCaInjector(localCache, client, options.targets, notifyChange);
  const secretView = localCache.watch(Secret, { namespaces: [secret.namespace], fields: `metadata.name=${secret.name}` });
  secretView.addEventHandler(notifyChange);

  let certificates: CertificateSet | undefined;
  /** Since when all webhook configurations have this bundle, as far as this replica knows. */
  let published: { readonly bundle: string; readonly since: number } | undefined;
  const isPublished = (bundle: string) => published?.bundle === bundle && clock.now() - published.since >= lifetimes.overlap / 2;

  /** Reads the Secret and renews its certificates if they are due. Returns the stored certificates, whichever replica stored them. */
  const loadOrRenew = async (): Promise<CertificateSet> => {
    for (;;) {
      const found = await client.find(Secret, secret, { signal });
      const stored = found === undefined ? undefined : parseSecret(found);
      // A deleted or emptied Secret gets the certificates in use again, so that the trusted authority does not change.
      const current = stored ?? certificates;
      const renewed = renewCertificates(current, {
        now: clock.now(),
        names,
        lifetimes,
        published: current !== undefined && isPublished(current.caBundle),
      });
      if (stored !== undefined && renewed === stored) return stored;
      const { annotations, data } = toSecretData(renewed);
      try {
        if (found === undefined) await client.create(Secret, { metadata: { ...secret, annotations }, data }, { signal });
        else {
          const metadata = { ...found.metadata, annotations: { ...found.metadata.annotations, ...annotations } };
          await client.replace(Secret, { ...found, metadata, data: { ...found.data, ...data } } as never, { signal });
        }
        log.info(`Issued ${purpose} certificates`, { secret: `${secret.namespace}/${secret.name}` });
        return renewed;
      } catch (error) {
        // Another replica stored its certificates first: read them.
        if (!(error instanceof Conflict) && !(error instanceof AlreadyExists)) throw explainForbidden(error, found === undefined, options);
      }
    }
  };
  const reconcileOnce = async () => {
    if (certificates !== undefined) await publishBundle(certificates.caBundle);
    const before = certificates;
    certificates = await loadOrRenew();
    if (certificates.caBundle !== before?.caBundle) await publishBundle(certificates.caBundle);
    if (before !== undefined && certificates.leaf.certificate !== before.leaf.certificate) {
      options.onChange(certificates.leaf);
      log.info(`Replaced ${purpose} serving certificate`, { expires: new Date(getLeafExpiry(certificates)).toISOString() });
    }
  };
  const publishBundle = async (bundle: string) => {
    const complete = await caInjector.inject(bundle, signal);
    if (!complete) published = undefined;
    else if (published?.bundle !== bundle) published = { bundle, since: clock.now() };
  };
  const waitForChange = async (longest: number) => {
    const left = createAbortController(signal);
    interruptWait = () => left.abort();
    if (!isChanged) await clock.sleep(longest, left.signal).catch(() => {});
    interruptWait = () => {};
    isChanged = false;
  };
  let problem: string | undefined;
  const runRenewalLoop = async () => {
    let failures = 0;
    while (!signal.aborted) {
      try {
        await reconcileOnce();
        [failures, problem] = [0, undefined];
        // A rotation that waits for the bundle to be published is checked again soon.
        const soonest = published === undefined ? RETRY_DELAY : lifetimes.overlap / 2;
        await waitForChange(
          Math.min(RESYNC_PERIOD, Math.max(nextRenewalTime(certificates!, lifetimes) - clock.now(), Math.min(soonest, RETRY_DELAY))),
        );
      } catch (error) {
        if (signal.aborted) return;
        problem = error instanceof Error ? error.message : String(error);
        log.warn(`Renewing ${purpose} certificates failed`, { error });
        await clock.sleep(Math.min(MAX_RETRY_DELAY, RETRY_DELAY * 2 ** failures++), signal).catch(() => {});
      }
    }
  };
  certificates = await loadOrRenew().catch(async (error: unknown) => {
    stopping.abort();
    await localCache.stop();
    throw error;
  });
  const renewalLoop = runRenewalLoop();
  runInBackground(renewalLoop);
  return {
    pair: certificates.leaf,
    check: () =>
      certificates !== undefined && getLeafExpiry(certificates) <= clock.now()
        ? `the certificate has expired: ${problem ?? "not renewed yet"}`
        : undefined,
    async close() {
      stopping.abort();
      await renewalLoop;
      await localCache.stop();
    },
  };
}

function explainForbidden(error: unknown, missing: boolean, { purpose, secret: { namespace, name } }: IssueCertificatesOptions): unknown {
  if (!(error instanceof Forbidden) || !missing) return error;
  return new PintleError(
    "PINTLE5004",
    `Secret ${namespace}/${name} for the ${purpose} certificates does not exist and the operator may not create it: apply the empty Secret that \`pintle generate\` writes`,
    {
      cause: error,
    },
  );
}
