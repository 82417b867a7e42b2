import { appendFile, mkdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { encodeLogLine, formatLogTime, type LogStream } from "./cri-log-line.ts";

const MAX_SIZE = 10 * 1024 * 1024;
const MAX_ROTATED = 4;
const MAX_LINE_LENGTH = 16 * 1024;
const NEWLINE = 0x0a;

/** The log of one container run, in a file that is rotated by size. */
export interface LogFile {
  readonly path: string;
  /** Appends everything the stream yields. */
  append(stream: LogStream, from: AsyncIterable<Buffer>): Promise<void>;
  /** Waits for pending writes and marks the log as complete. */
  close(): Promise<void>;
  readonly isClosed: boolean;
  /** The number of rotations. */
  readonly rotations: number;
  /** Calls the listener after every write, and at the end. Returns the function that removes it. */
  onChange(listener: () => void): () => void;
}

export async function openLogFile(file: string, now: () => number): Promise<LogFile> {
  await mkdir(path.dirname(file), { recursive: true });
  await appendFile(file, "");
  const listeners = new Set<() => void>();
  let size = await stat(file).then(({ size: bytes }) => bytes);
  let turns = 0;
  let isClosed = false;
  let writing = Promise.resolve();
  const notify = () => {
    for (const listener of [...listeners]) listener();
  };
  const appendBytes = async (bytes: Buffer) => {
    if (size > MAX_SIZE) await rotate();
    await appendFile(file, bytes);
    size += bytes.length;
    notify();
  };
  const rotate = async () => {
    await rm(`${file}.${MAX_ROTATED}`, { force: true });
    for (let n = MAX_ROTATED - 1; n >= 1; n--) await rename(`${file}.${n}`, `${file}.${n + 1}`).catch(() => {});
    await rename(file, `${file}.1`);
    await appendFile(file, "");
    size = 0;
    turns++;
  };
  const write = (lines: readonly Buffer[]) => {
    // On a full disk, lines are lost; the container continues.
    writing = writing.then(() => appendBytes(Buffer.concat(lines))).catch(() => {});
    return writing;
  };
  return {
    path: file,
    async append(stream, from) {
      let buffered: Buffer = Buffer.alloc(0);
      const line = (text: Buffer, isFull: boolean) => encodeLogLine({ time: formatLogTime(now()), stream, isFull, text });
      for await (const chunk of from) {
        buffered = buffered.length === 0 ? chunk : Buffer.concat([buffered, chunk]);
        const lines: Buffer[] = [];
        for (let end = buffered.indexOf(NEWLINE); end >= 0; end = buffered.indexOf(NEWLINE)) {
          lines.push(line(buffered.subarray(0, end), true));
          buffered = buffered.subarray(end + 1);
        }
        for (; buffered.length > MAX_LINE_LENGTH; buffered = buffered.subarray(MAX_LINE_LENGTH))
          lines.push(line(buffered.subarray(0, MAX_LINE_LENGTH), false));
        if (lines.length > 0) await write(lines);
      }
      if (buffered.length > 0) await write([line(buffered, false)]);
    },
    async close() {
      await writing;
      isClosed = true;
      notify();
    },
    get isClosed() {
      return isClosed;
    },
    get rotations() {
      return turns;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
