import { appendFile, mkdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { type LogStream, lineBytes, logTime } from "./log-line.ts";

const LARGEST = 10 * 1024 * 1024;
const KEPT = 4;
const LONGEST_LINE = 16 * 1024;
const NEWLINE = 0x0a;

/** The output of one run of a container, in a file that begins anew when it is large. */
export interface LogFile {
  readonly path: string;
  /** Everything that comes, until it ends. */
  take(stream: LogStream, from: AsyncIterable<Buffer>): Promise<void>;
  /** Nothing more will come. */
  close(): Promise<void>;
  readonly isClosed: boolean;
  /** How often the file has begun anew. */
  readonly turns: number;
  /** Calls when there is more, or the end. Returns how to stop. */
  onMore(listener: () => void): () => void;
}

export async function logFile(file: string, now: () => number): Promise<LogFile> {
  await mkdir(path.dirname(file), { recursive: true });
  await appendFile(file, "");
  const listeners = new Set<() => void>();
  let size = await stat(file).then(({ size: bytes }) => bytes);
  let turns = 0;
  let isClosed = false;
  let writing = Promise.resolve();
  const tell = () => {
    for (const listener of [...listeners]) listener();
  };
  const append = async (bytes: Buffer) => {
    if (size > LARGEST) await turn();
    await appendFile(file, bytes);
    size += bytes.length;
    tell();
  };
  const turn = async () => {
    await rm(`${file}.${KEPT}`, { force: true });
    for (let n = KEPT - 1; n >= 1; n--) await rename(`${file}.${n}`, `${file}.${n + 1}`).catch(() => {});
    await rename(file, `${file}.1`);
    await appendFile(file, "");
    size = 0;
    turns++;
  };
  const write = (lines: readonly Buffer[]) => {
    // A disk that is full loses lines, not the container.
    writing = writing.then(() => append(Buffer.concat(lines))).catch(() => {});
    return writing;
  };
  return {
    path: file,
    async take(stream, from) {
      let rest: Buffer = Buffer.alloc(0);
      const line = (text: Buffer, isWhole: boolean) => lineBytes({ time: logTime(now()), stream, isWhole, text });
      for await (const chunk of from) {
        rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
        const lines: Buffer[] = [];
        for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
          lines.push(line(rest.subarray(0, end), true));
          rest = rest.subarray(end + 1);
        }
        for (; rest.length > LONGEST_LINE; rest = rest.subarray(LONGEST_LINE)) lines.push(line(rest.subarray(0, LONGEST_LINE), false));
        if (lines.length > 0) await write(lines);
      }
      if (rest.length > 0) await write([line(rest, false)]);
    },
    async close() {
      await writing;
      isClosed = true;
      tell();
    },
    get isClosed() {
      return isClosed;
    },
    get turns() {
      return turns;
    },
    onMore(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
