export type LogStream = "stdout" | "stderr";

/** A line of the CRI log format, or a part of a long one. */
export interface CriLogLine {
  /** RFC 3339 with nanoseconds. */
  readonly time: string;
  readonly stream: LogStream;
  readonly isFull: boolean;
  readonly text: Buffer;
}

const SPACE = 0x20;

/** Encodes a line as container runtimes write it. */
export function encodeLogLine({ time, stream, isFull, text }: CriLogLine): Buffer {
  return Buffer.concat([Buffer.from(`${time} ${stream} ${isFull ? "F" : "P"} `), text, Buffer.from("\n")]);
}

/** Parses a line, without its newline. */
export function parseLogLine(bytes: Buffer): CriLogLine | undefined {
  const first = bytes.indexOf(SPACE);
  const second = bytes.indexOf(SPACE, first + 1);
  const third = bytes.indexOf(SPACE, second + 1);
  if (first < 0 || second < 0 || third < 0) return undefined;
  const stream = bytes.toString("latin1", first + 1, second);
  if (stream !== "stdout" && stream !== "stderr") return undefined;
  const isFull = bytes.toString("latin1", second + 1, third) === "F";
  return { time: bytes.toString("latin1", 0, first), stream, isFull, text: bytes.subarray(third + 1) };
}

/** Formats milliseconds since 1970 as a container runtime does. */
export const formatLogTime = (ms: number) => new Date(ms).toISOString().replace("Z", "000000Z");
