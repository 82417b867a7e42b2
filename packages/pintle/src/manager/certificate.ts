import type { Logger } from "../controller/index.ts";
import type { Clock } from "../queue/index.ts";
import type { CertificateFiles, KeyPair } from "../tls/index.ts";

export interface CertificateTools {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** The certificate to serve with: from files, told again when they change, or one that nobody vouches for, made on the spot. */
export async function certificate(
  files: CertificateFiles | undefined,
  { clock, logger, signal }: CertificateTools,
  changed: (pair: KeyPair) => void,
): Promise<KeyPair> {
  // Loaded here and not above: most managers never serve TLS.
  const { authority, certificateFiles } = await import("../tls/index.ts");
  if (files === undefined) return authority("pintle", clock.now()).server({ commonName: "localhost" }, ["localhost"]);
  return certificateFiles(files, {
    clock,
    signal,
    changed(pair) {
      changed(pair);
      logger.info("the certificate was replaced", { file: files.cert });
    },
    // Half written, or not fitting together yet: the old one is served until both files are there.
    failed: (error) => logger.warn("the new certificate cannot be used yet", { file: files.cert, error }),
  });
}
