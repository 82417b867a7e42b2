import { readFile } from "node:fs/promises";
import type { Clock } from "../clock/index.ts";
import { runInBackground } from "../errors/index.ts";
import type { CertificateKeyPair } from "./certificate-authority.ts";

/** Paths of PEM files. They are read again regularly, so that a replaced certificate is used without a restart. */
export interface CertificateFiles {
  /** Path of the certificate. */
  readonly cert: string;
  /** Path of its private key. */
  readonly key: string;
}

/** Files are polled: kubelets replace a symbolic link, which file watchers do not detect reliably. */
const POLL_INTERVAL_MS = 5_000;

/** How certificate files are watched. */
export interface CertificateFilesOptions {
  /** The clock for the interval between reads (5 s). */
  readonly clock: Clock;
  /** Ends the watch. */
  readonly signal: AbortSignal;
  /** Called with new content. If it throws, the previous content remains in use and the call is repeated. */
  onChange(pair: CertificateKeyPair): void;
  /** Called when the files cannot be read, or `onChange` throws. */
  onError(error: unknown): void;
}

/**
 * Reads a certificate and its key, and calls `onChange` whenever they are replaced, until the signal aborts. Rejects if the first read fails.
 *
 * @example
 * ```ts
 * import { watchCertificateFiles } from "pintle/tls";
 * import { virtualClock } from "pintle/testing";
 *
 * const abort = new AbortController();
 * const pair = await watchCertificateFiles(
 *   { cert: "/certs/tls.crt", key: "/certs/tls.key" },
 *   { clock: virtualClock(), signal: abort.signal, onChange: () => console.log("replaced"), onError: console.error },
 * );
 * console.log(pair.certificate);
 * ```
 */
export async function watchCertificateFiles(files: CertificateFiles, tools: CertificateFilesOptions): Promise<CertificateKeyPair> {
  const first = await readKeyPair(files);
  runInBackground(pollForChanges(files, first, tools), tools.onError);
  return first;
}

async function readKeyPair({ cert, key }: CertificateFiles): Promise<CertificateKeyPair> {
  return { certificate: await readFile(cert, "utf8"), key: await readFile(key, "utf8") };
}

async function pollForChanges(
  files: CertificateFiles,
  first: CertificateKeyPair,
  { clock, signal, onChange, onError }: CertificateFilesOptions,
): Promise<void> {
  let known = first;
  while (!signal.aborted) {
    await clock.sleep(POLL_INTERVAL_MS, signal).catch(() => {});
    if (signal.aborted) return;
    try {
      const now = await readKeyPair(files);
      if (now.certificate === known.certificate && now.key === known.key) continue;
      onChange(now);
      known = now;
    } catch (error) {
      onError(error);
    }
  }
}
