import { StoreError } from "../store.ts";

export type StoreFileType = "log" | "snapshot" | "writer";

/** Incremented when older versions cannot read what newer ones write. Format 1 of a log has no start record. */
const FORMAT_VERSIONS: Readonly<Record<StoreFileType, number>> = { log: 2, snapshot: 1, writer: 1 };

/** Returns the first line of a file. */
export function encodeFileHeader(type: StoreFileType, version = FORMAT_VERSIONS[type]): Buffer {
  return Buffer.from(`pintle ${type} ${version}\n`);
}

export interface FileHeader {
  readonly version: number;
  /** Offset of the content. */
  readonly end: number;
}

/** Reads the first line of a file; undefined when the file ends within it. Throws `StoreError` for another format or a damaged line. */
export function readFileHeader(bytes: Buffer, type: StoreFileType, file: string): FileHeader | undefined {
  const newest = FORMAT_VERSIONS[type];
  const [line, found, version] = /^pintle (log|snapshot|writer) (\d+)\n/.exec(bytes.subarray(0, 64).toString("latin1")) ?? [];
  if (line !== undefined && found === type) {
    if (Number(version) >= 1 && Number(version) <= newest) return { version: Number(version), end: line.length };
    throw new StoreError(
      "PINTLE6514",
      `${file} has format ${version}, and this version of Pintle reads format ${newest}: use the version that wrote it`,
    );
  }
  const beginsHeader = Array.from({ length: newest }, (_, index) => encodeFileHeader(type, index + 1).subarray(0, bytes.length));
  if (beginsHeader.some((beginning) => beginning.equals(bytes)) || bytes.every((byte) => byte === 0)) return undefined;
  throw new StoreError(
    "PINTLE6512",
    `${file} is damaged at byte 0: it has no header of a Pintle ${type}. Restore the folder from a backup`,
  );
}
