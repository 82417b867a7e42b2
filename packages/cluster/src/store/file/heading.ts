import { StoreError } from "../store.ts";

/** Grows when older programs could not read what newer ones write. */
const FORMAT = 1;

export type FileType = "log" | "snapshot";

/** The first line of a file of ours. */
export function heading(type: FileType): Buffer {
  return Buffer.from(`pintle ${type} ${FORMAT}\n`);
}

/** Where the content begins; 0 when the file ends before its heading does. Throws when it is not ours to read. */
export function contentOf(bytes: Buffer, type: FileType, file: string): number {
  const expected = heading(type);
  if (bytes.subarray(0, expected.length).equals(expected)) return expected.length;
  if (bytes.equals(expected.subarray(0, bytes.length)) || bytes.every((byte) => byte === 0)) return 0;
  const other = /^pintle (log|snapshot) (\d+)\n/.exec(bytes.subarray(0, 64).toString("latin1"));
  if (other?.[1] === type) {
    throw new StoreError(
      `${file} has format ${other[2]}, and this version of Pintle reads format ${FORMAT}: use the version that wrote it`,
    );
  }
  throw new StoreError(`${file} is damaged at byte 0: it does not begin as a ${type} of Pintle does. Restore the folder from a copy`);
}
