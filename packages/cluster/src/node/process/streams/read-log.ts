import { type FileHandle, open, readdir } from "node:fs/promises";
import path from "node:path";
import type { ContainerLogOptions } from "../../node-streams.ts";
import { type CriLogLine, parseLogLine } from "./cri-log-line.ts";
import type { LogFile } from "./log-file.ts";

const CHUNK_SIZE = 64 * 1024;
const NEWLINE = 0x0a;

/** Reads the log of a container with the options of `kubectl logs`. `live` is the log if it is still being written, for `follow`. */
export async function* readLog(
  file: string,
  live: LogFile | undefined,
  options: ContainerLogOptions,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { tailLines, limitBytes = Number.POSITIVE_INFINITY } = options;
  let remaining = limitBytes;
  const takeAllowed = (bytes: Uint8Array) => {
    const part = bytes.subarray(0, remaining);
    remaining -= part.length;
    return part;
  };
  const reader = await createLogReader(file, live, options);
  try {
    if (tailLines === undefined) {
      for await (const bytes of reader.rest()) {
        if (signal.aborted || remaining <= 0) return;
        yield takeAllowed(bytes);
      }
    } else {
      const tail: Uint8Array[] = [];
      for await (const bytes of reader.rest()) {
        tail.push(bytes);
        if (tail.length > Math.max(tailLines, 0)) tail.shift();
      }
      for (const bytes of tail) if (remaining > 0) yield takeAllowed(bytes);
    }
    if (!options.follow || live === undefined) return;
    while (remaining > 0 && !signal.aborted) {
      // Subscribed before reading, so that no write is missed.
      const change = waitForChange(live, signal);
      const ended = live.isClosed;
      for await (const bytes of reader.rest()) {
        if (signal.aborted || remaining <= 0) return;
        yield takeAllowed(bytes);
      }
      if (ended) return;
      await change;
    }
  } finally {
    await reader.close();
  }
}

function waitForChange(live: LogFile, signal: AbortSignal): Promise<void> {
  if (live.isClosed || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const finish = () => {
      removeListener();
      signal.removeEventListener("abort", finish);
      resolve();
    };
    const removeListener = live.onChange(finish);
    signal.addEventListener("abort", finish, { once: true });
  });
}

async function createLogReader(file: string, live: LogFile | undefined, { timestamps, since, stream }: ContainerLogOptions) {
  const older = await listRotatedFiles(file);
  let turns = live?.rotations ?? 0;
  let handle: FileHandle | undefined;
  let rest: Buffer = Buffer.alloc(0);
  const formatBytes = (bytes: Buffer): Uint8Array | undefined => {
    const line = parseLogLine(bytes);
    if (line === undefined || (stream !== undefined && line.stream !== stream.toLowerCase())) return undefined;
    if (since !== undefined && Date.parse(line.time) < since) return undefined;
    return formatLine(line, timestamps);
  };
  const drain = async function* (from: FileHandle): AsyncGenerator<Uint8Array> {
    for (;;) {
      const { buffer, bytesRead } = await from.read({ buffer: Buffer.alloc(CHUNK_SIZE) });
      if (bytesRead === 0) return;
      rest = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
      for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
        const bytes = formatBytes(rest.subarray(0, end));
        rest = rest.subarray(end + 1);
        if (bytes !== undefined) yield bytes;
      }
    }
  };
  return {
    /** Yields from the current position to the present end of the file. */
    async *rest(): AsyncGenerator<Uint8Array> {
      for (const part of older.splice(0)) {
        const from = await open(part);
        try {
          yield* drain(from);
        } finally {
          await from.close();
        }
      }
      handle ??= await open(file);
      yield* drain(handle);
      if (live === undefined || live.rotations === turns) return;
      turns = live.rotations;
      await handle.close();
      handle = await open(file);
      yield* drain(handle);
    },
    close: async () => handle?.close(),
  };
}

function formatLine({ time, text, isFull }: CriLogLine, timestamps: boolean): Uint8Array {
  const parts = [...(timestamps ? [Buffer.from(`${time} `)] : []), text, ...(isFull ? [Buffer.from("\n")] : [])];
  return Buffer.concat(parts);
}

/** "0.log.2", "0.log.1": the oldest first. */
async function listRotatedFiles(file: string): Promise<string[]> {
  const name = path.basename(file);
  const all = await readdir(path.dirname(file)).catch(() => []);
  const numbers = all.filter((each) => each.startsWith(`${name}.`)).map((each) => Number(each.slice(name.length + 1)));
  return numbers.sort((a, b) => b - a).map((n) => `${file}.${n}`);
}
