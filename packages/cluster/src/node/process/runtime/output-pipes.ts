import { execFile } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import net from "node:net";
import path from "node:path";
import type { Readable } from "node:stream";
import { promisify } from "node:util";

/** The output pipes of a process. A program can open them by name, as /dev/stdout, which loggers do. */
export interface OutputPipes {
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The writing ends. */
  readonly fds: readonly [stdout: number, stderr: number];
  /** Closes the writing ends; to be called once the process has inherited them. */
  closeWriters(): void;
}

/** Creates named pipes: Node's own are sockets, which cannot be opened by name. */
export async function createOutputPipes(folder: string): Promise<OutputPipes> {
  await mkdir(folder, { recursive: true });
  const names = ["stdout", "stderr"].map((name) => path.join(folder, `.${name}`));
  // The container's user must be able to open them.
  await promisify(execFile)("mkfifo", ["-m", "666", ...names]);
  const [out, errors] = names.map((name) => {
    const reading = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
    return { reading, writing: openSync(name, constants.O_WRONLY) };
  }) as [PipeEnds, PipeEnds];
  await Promise.all(names.map((name) => rm(name)));
  const reader = ({ reading }: PipeEnds) => new net.Socket({ fd: reading, readable: true, writable: false });
  return {
    stdout: reader(out),
    stderr: reader(errors),
    fds: [out.writing, errors.writing],
    closeWriters() {
      closeSync(out.writing);
      closeSync(errors.writing);
    },
  };
}

interface PipeEnds {
  readonly reading: number;
  readonly writing: number;
}
