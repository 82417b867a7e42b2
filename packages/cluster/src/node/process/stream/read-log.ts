import { type FileHandle, open, readdir } from "node:fs/promises";
import path from "node:path";
import type { LogOptions } from "../../streams.ts";
import type { LogFile } from "./log-file.ts";
import { type LogLine, logLine } from "./log-line.ts";

const CHUNK = 64 * 1024;
const NEWLINE = 0x0a;

/** What a container said, as `kubectl logs` asks for it. `live`: the file is still written to, and may be followed. */
export async function* readLog(
  file: string,
  live: LogFile | undefined,
  options: LogOptions,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { tailLines, limitBytes = Number.POSITIVE_INFINITY } = options;
  let left = limitBytes;
  const cut = (bytes: Uint8Array) => {
    const part = bytes.subarray(0, left);
    left -= part.length;
    return part;
  };
  const reader = await logReader(file, live, options);
  try {
    if (tailLines === undefined) {
      for await (const bytes of reader.rest()) {
        if (signal.aborted || left <= 0) return;
        yield cut(bytes);
      }
    } else {
      const tail: Uint8Array[] = [];
      for await (const bytes of reader.rest()) {
        tail.push(bytes);
        if (tail.length > Math.max(tailLines, 0)) tail.shift();
      }
      for (const bytes of tail) if (left > 0) yield cut(bytes);
    }
    if (!options.follow || live === undefined) return;
    while (left > 0 && !signal.aborted) {
      // Asked before reading: what comes in between is not missed.
      const more = moreOf(live, signal);
      const ended = live.isClosed;
      for await (const bytes of reader.rest()) {
        if (signal.aborted || left <= 0) return;
        yield cut(bytes);
      }
      if (ended) return;
      await more;
    }
  } finally {
    await reader.close();
  }
}

function moreOf(live: LogFile, signal: AbortSignal): Promise<void> {
  if (live.isClosed || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      off();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const off = live.onMore(done);
    signal.addEventListener("abort", done, { once: true });
  });
}

async function logReader(file: string, live: LogFile | undefined, { timestamps, since, stream }: LogOptions) {
  const older = await olderParts(file);
  let turns = live?.turns ?? 0;
  let handle: FileHandle | undefined;
  let rest: Buffer = Buffer.alloc(0);
  const shown = (bytes: Buffer): Uint8Array | undefined => {
    const line = logLine(bytes);
    if (line === undefined || (stream !== undefined && line.stream !== stream.toLowerCase())) return undefined;
    if (since !== undefined && Date.parse(line.time) < since) return undefined;
    return asShown(line, timestamps);
  };
  const drain = async function* (from: FileHandle): AsyncGenerator<Uint8Array> {
    for (;;) {
      const { buffer, bytesRead } = await from.read({ buffer: Buffer.alloc(CHUNK) });
      if (bytesRead === 0) return;
      rest = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
      for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
        const bytes = shown(rest.subarray(0, end));
        rest = rest.subarray(end + 1);
        if (bytes !== undefined) yield bytes;
      }
    }
  };
  return {
    /** From where reading stopped to where the file ends now. */
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
      if (live === undefined || live.turns === turns) return;
      turns = live.turns;
      await handle.close();
      handle = await open(file);
      yield* drain(handle);
    },
    close: async () => handle?.close(),
  };
}

function asShown({ time, text, isWhole }: LogLine, timestamps: boolean): Uint8Array {
  const parts = [...(timestamps ? [Buffer.from(`${time} `)] : []), text, ...(isWhole ? [Buffer.from("\n")] : [])];
  return Buffer.concat(parts);
}

/** "0.log.2", "0.log.1": the oldest first. */
async function olderParts(file: string): Promise<string[]> {
  const name = path.basename(file);
  const all = await readdir(path.dirname(file)).catch(() => []);
  const numbers = all.filter((each) => each.startsWith(`${name}.`)).map((each) => Number(each.slice(name.length + 1)));
  return numbers.sort((a, b) => b - a).map((n) => `${file}.${n}`);
}
