import type { Client } from "../../client/index.ts";
import { type Clock, createAbortController, type Random } from "../../clock/index.ts";
import type { Logger } from "../../controller/index.ts";
import type { CertificateFiles, CertificateKeyPair } from "../../tls/index.ts";
import { type IssuedCertificates, issueMetricsCertificates } from "../../webhook/index.ts";

export interface CertificateDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** Loads the serving certificate from files, and again when they change; without files, creates a self-signed one. */
export async function loadServingCertificate(
  files: CertificateFiles | undefined,
  { clock, logger, signal }: CertificateDeps,
  changed: (pair: CertificateKeyPair) => void,
): Promise<CertificateKeyPair> {
  // A dynamic import: most managers never serve TLS.
  const { createCertificateAuthority, watchCertificateFiles } = await import("../../tls/index.ts");
  if (files === undefined)
    return createCertificateAuthority("pintle", clock.now()).issueServerCertificate({ commonName: "localhost" }, ["localhost"]);
  return watchCertificateFiles(files, {
    clock,
    signal,
    onChange(pair) {
      changed(pair);
      logger.info("Certificate reloaded", { file: files.cert });
    },
    // Files are written one after the other: the old certificate is served until both match.
    onError: (error) => logger.warn("Failed to load the new certificate, serving the old one", { file: files.cert, error }),
  });
}

export interface CertificateIssuerDeps extends Omit<CertificateDeps, "signal"> {
  readonly client: Client;
  readonly random: Random;
}

/** Opens the certificate of the metrics endpoint: from files, issued into a Secret, or self-signed. */
export async function openServingCertificate(
  source: true | CertificateFiles | IssuedCertificates,
  { client, clock, random, logger }: CertificateIssuerDeps,
  onChange: (pair: CertificateKeyPair) => void,
): Promise<{ readonly pair: CertificateKeyPair; close(): Promise<void> }> {
  if (source !== true && "issued" in source) return issueMetricsCertificates(source, { client, clock, random, log: logger, onChange });
  const closed = createAbortController();
  const pair = await loadServingCertificate(source === true ? undefined : source, { clock, logger, signal: closed.signal }, onChange);
  return { pair, close: async () => closed.abort() };
}
