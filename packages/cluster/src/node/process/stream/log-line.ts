export type LogStream = "stdout" | "stderr";

/** One line of a container's output, or a part of one that is too long. */
export interface LogLine {
  /** RFC 3339 with nanoseconds. */
  readonly time: string;
  readonly stream: LogStream;
  readonly isWhole: boolean;
  readonly text: Buffer;
}

const SPACE = 0x20;

/** As container runtimes write it to disk. */
export function lineBytes({ time, stream, isWhole, text }: LogLine): Buffer {
  return Buffer.concat([Buffer.from(`${time} ${stream} ${isWhole ? "F" : "P"} `), text, Buffer.from("\n")]);
}

/** Reads a line back, without its end. */
export function logLine(bytes: Buffer): LogLine | undefined {
  const first = bytes.indexOf(SPACE);
  const second = bytes.indexOf(SPACE, first + 1);
  const third = bytes.indexOf(SPACE, second + 1);
  if (first < 0 || second < 0 || third < 0) return undefined;
  const stream = bytes.toString("latin1", first + 1, second);
  if (stream !== "stdout" && stream !== "stderr") return undefined;
  const isWhole = bytes.toString("latin1", second + 1, third) === "F";
  return { time: bytes.toString("latin1", 0, first), stream, isWhole, text: bytes.subarray(third + 1) };
}

/** Milliseconds since 1970 as a runtime writes them. */
export const logTime = (ms: number) => new Date(ms).toISOString().replace("Z", "000000Z");
