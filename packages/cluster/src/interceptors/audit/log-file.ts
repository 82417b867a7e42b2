import {
  closeSync,
  createReadStream,
  createWriteStream,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { Clock } from "pintle/internal/clock";
import { PintleError, runInBackground } from "pintle/internal/errors";

/** Where audit events are written, and when the file is rotated. Defaults are those of kube-apiserver. */
export interface AuditLogFileOptions {
  /** The file; "-" is the standard output. */
  readonly path: string;
  /** Megabytes after which a new file is started; 0 for never. Default: 100. */
  readonly maxSize?: number | undefined;
  /** Days after which rotated files are removed; 0 for never. Default: 366. */
  readonly maxAge?: number | undefined;
  /** Number of rotated files that are kept; 0 for all. Default: 100. */
  readonly maxBackups?: number | undefined;
  /** Whether rotated files are compressed with gzip. Default: false. */
  readonly compress?: boolean | undefined;
}

export interface AuditLogFile {
  /** Appends a line before it returns: an event is on file before the client has the response. Never throws. */
  append(line: string): void;
  close(): void;
}

const MEGABYTE = 1024 * 1024;
const DAY_MS = 86_400_000;

/** Opens the file for appending, readable by its owner only. Throws PintleError if it cannot be written. */
export function openAuditLogFile(options: AuditLogFileOptions, clock: Clock, report: (problem: string) => void): AuditLogFile {
  const { path: file, maxSize = 100 } = options;
  if (file === "-") return { append: (line) => process.stdout.write(line), close() {} };
  let { descriptor, size } = openFile(file);
  let hasFailed = false;
  let isClosed = false;

  const rotate = () => {
    closeSync(descriptor);
    const backup = getBackupPath(file, clock.now());
    renameSync(file, backup);
    ({ descriptor, size } = openFile(file));
    removeOldBackups(options, clock.now());
    if (options.compress === true) runInBackground(compressFile(backup), (error) => report(`cannot compress ${backup}: ${String(error)}`));
  };
  return {
    append(line) {
      // Watches end after the listeners are closed.
      if (isClosed) return;
      const bytes = Buffer.from(line);
      try {
        if (maxSize > 0 && size > 0 && size + bytes.length > maxSize * MEGABYTE) rotate();
        size += bytes.length;
        for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
        hasFailed = false;
      } catch (error) {
        // Reported once, not for every request while the disk is full.
        if (!hasFailed) report(`cannot write the audit log ${file}: ${String(error)}`);
        hasFailed = true;
      }
    },
    close() {
      isClosed = true;
      closeSync(descriptor);
    },
  };
}

function openFile(file: string): { descriptor: number; size: number } {
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    const descriptor = openSync(file, "a", 0o600);
    return { descriptor, size: fstatSync(descriptor).size };
  } catch (error) {
    throw new PintleError("PINTLE6561", `cannot write the audit log ${file}: ${(error as NodeJS.ErrnoException).code}`);
  }
}

/** `audit.log` becomes `audit-2026-01-31T10-20-30.000.log`. */
function getBackupPath(file: string, now: number): string {
  const { dir, name, ext } = path.parse(file);
  return path.join(dir, `${name}-${new Date(now).toISOString().slice(0, -1).replaceAll(":", "-")}${ext}`);
}

const BACKUP_TIME = /^(\d{4}-\d{2}-\d{2}T)(\d{2})-(\d{2})-(\d{2}\.\d{3})$/;

function removeOldBackups({ path: file, maxAge = 366, maxBackups = 100 }: AuditLogFileOptions, now: number): void {
  const { dir, name, ext } = path.parse(file);
  const backups = readdirSync(dir === "" ? "." : dir)
    .flatMap((each) => {
      const plain = each.endsWith(".gz") ? each.slice(0, -3) : each;
      if (!plain.startsWith(`${name}-`) || !plain.endsWith(ext)) return [];
      const time = plain.slice(name.length + 1, plain.length - ext.length);
      return BACKUP_TIME.test(time) ? [{ each, at: Date.parse(`${time.replace(BACKUP_TIME, "$1$2:$3:$4")}Z`) }] : [];
    })
    .sort((a, b) => b.at - a.at);
  for (const [index, { each, at }] of backups.entries()) {
    const isTooMany = maxBackups > 0 && index >= maxBackups;
    if (isTooMany || (maxAge > 0 && now - at > maxAge * DAY_MS)) rmSync(path.join(dir, each), { force: true });
  }
}

async function compressFile(file: string): Promise<void> {
  await pipeline(createReadStream(file), createGzip(), createWriteStream(`${file}.gz`, { mode: 0o600 }));
  rmSync(file, { force: true });
}
