import { execFile } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import net from "node:net";
import path from "node:path";
import type { Readable } from "node:stream";
import { promisify } from "node:util";

/** The two outputs of a process to be, as pipes that can be opened again by name: as /dev/stdout, where programs log to. */
export interface Outputs {
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** What the process writes to. */
  readonly fds: readonly [stdout: number, stderr: number];
  /** To be called once the process has them. */
  given(): void;
}

/** Node's own are sockets, which nobody can open by name. */
export async function outputs(folder: string): Promise<Outputs> {
  await mkdir(folder, { recursive: true });
  const names = ["stdout", "stderr"].map((name) => path.join(folder, `.${name}`));
  // Whoever the container runs as may open them.
  await promisify(execFile)("mkfifo", ["-m", "666", ...names]);
  const [out, errors] = names.map((name) => {
    const reading = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
    return { reading, writing: openSync(name, constants.O_WRONLY) };
  }) as [Ends, Ends];
  await Promise.all(names.map((name) => rm(name)));
  const reader = ({ reading }: Ends) => new net.Socket({ fd: reading, readable: true, writable: false });
  return {
    stdout: reader(out),
    stderr: reader(errors),
    fds: [out.writing, errors.writing],
    given() {
      closeSync(out.writing);
      closeSync(errors.writing);
    },
  };
}

interface Ends {
  readonly reading: number;
  readonly writing: number;
}
