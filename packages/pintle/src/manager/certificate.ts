import { readFile } from "node:fs/promises";
import type { Logger } from "../controller/index.ts";
import type { Clock } from "../queue/index.ts";
import type { CertificateFiles } from "./options.ts";
import { type KeyPair, selfSigned } from "./self-signed.ts";

/** How often files are read again: kubelets swap a symbolic link, which no file watcher sees reliably. */
const POLL = 5_000;

export interface CertificateTools {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** The certificate to serve with: from files, told again when they change, or made up on the spot. */
export async function certificate(
  files: CertificateFiles | undefined,
  tools: CertificateTools,
  changed: (pair: KeyPair) => void,
): Promise<KeyPair> {
  if (files === undefined) return selfSigned(["localhost"], tools.clock.now());
  const first = await read(files);
  void follow(files, first, tools, changed);
  return first;
}

async function read({ cert, key }: CertificateFiles): Promise<KeyPair> {
  return { cert: await readFile(cert, "utf8"), key: await readFile(key, "utf8") };
}

async function follow(files: CertificateFiles, first: KeyPair, tools: CertificateTools, changed: (pair: KeyPair) => void): Promise<void> {
  const { clock, logger, signal } = tools;
  let known = first;
  while (!signal.aborted) {
    await clock.sleep(POLL, signal).catch(() => {});
    if (signal.aborted) return;
    try {
      const now = await read(files);
      if (now.cert === known.cert && now.key === known.key) continue;
      changed(now);
      known = now;
      logger.info("the certificate was replaced", { file: files.cert });
    } catch (error) {
      // Half written, or not fitting together yet: the old one is served until both files are there.
      logger.warn("the new certificate cannot be used yet", { file: files.cert, error });
    }
  }
}
