import { readFile } from "node:fs/promises";
import type { Clock } from "../queue/index.ts";
import type { KeyPair } from "./authority.ts";

/** Paths of PEM files; read again while running, so that a replaced certificate is served without a restart. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** How often files are read again: kubelets swap a symbolic link, which no file watcher sees reliably. */
const POLL = 5_000;

export interface FilesTools {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Both files hold something new. A throw means that it cannot be used yet: the old one stays, and it is tried again. */
  changed(pair: KeyPair): void;
  /** What is there cannot be read or used. */
  failed(error: unknown): void;
}

/** What the files hold now; told again, until the signal, whenever they hold something else. */
export async function certificateFiles(files: CertificateFiles, tools: FilesTools): Promise<KeyPair> {
  const first = await read(files);
  void follow(files, first, tools);
  return first;
}

async function read({ cert, key }: CertificateFiles): Promise<KeyPair> {
  return { certificate: await readFile(cert, "utf8"), key: await readFile(key, "utf8") };
}

async function follow(files: CertificateFiles, first: KeyPair, { clock, signal, changed, failed }: FilesTools): Promise<void> {
  let known = first;
  while (!signal.aborted) {
    await clock.sleep(POLL, signal).catch(() => {});
    if (signal.aborted) return;
    try {
      const now = await read(files);
      if (now.certificate === known.certificate && now.key === known.key) continue;
      changed(now);
      known = now;
    } catch (error) {
      failed(error);
    }
  }
}
