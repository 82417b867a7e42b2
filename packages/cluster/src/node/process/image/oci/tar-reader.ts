/** One entry of an archive. */
export interface TarEntry {
  readonly path: string;
  readonly type: "file" | "folder" | "link" | "hard link" | "other";
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** The target of a link. */
  readonly target: string;
  readonly data: Buffer;
}

const BLOCK = 512;
const TYPES: Readonly<Record<string, TarEntry["type"]>> = {
  "0": "file",
  "\0": "file",
  "7": "file",
  "5": "folder",
  "2": "link",
  "1": "hard link",
};

/** Reads the entries of a tar archive: ustar, with the long names of pax and GNU. */
export function* readTarEntries(archive: Buffer): Generator<TarEntry> {
  let longPath: string | undefined;
  let longTarget: string | undefined;
  let pax: Readonly<Record<string, string>> = {};
  for (let at = 0; at + BLOCK <= archive.length; ) {
    const header = archive.subarray(at, at + BLOCK);
    if (header[0] === 0) return;
    const type = String.fromCharCode(header[156]!);
    const size = pax["size"] === undefined ? parseNumber(header, 124, 12) : Number(pax["size"]);
    if (!Number.isSafeInteger(size) || size < 0 || at + BLOCK + size > archive.length) throw new Error("the archive is damaged or cut off");
    const data = archive.subarray(at + BLOCK, at + BLOCK + size);
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    if (type === "L") longPath = parseText(data);
    else if (type === "K") longTarget = parseText(data);
    else if (type === "x") pax = parsePax(data);
    else if (type !== "g") {
      const prefix = header.toString("latin1", 257, 262) === "ustar" ? parseText(header.subarray(345, 500)) : "";
      const name = parseText(header.subarray(0, 100));
      yield {
        path: pax["path"] ?? longPath ?? (prefix === "" ? name : `${prefix}/${name}`),
        target: pax["linkpath"] ?? longTarget ?? parseText(header.subarray(157, 257)),
        type: TYPES[type] ?? "other",
        mode: parseNumber(header, 100, 8) & 0o7777,
        uid: parseNumber(header, 108, 8),
        gid: parseNumber(header, 116, 8),
        data,
      };
      longPath = longTarget = undefined;
      pax = {};
    }
  }
}

function parseText(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString("utf8", 0, end < 0 ? bytes.length : end);
}

/** Octal, or base-256 for large values. */
function parseNumber(header: Buffer, at: number, length: number): number {
  if ((header[at]! & 0x80) !== 0) return Number(BigInt(`0x${header.toString("hex", at + 1, at + length)}`));
  return Number.parseInt(parseText(header.subarray(at, at + length)).trim() || "0", 8);
}

/** Lines of "length key=value". */
function parsePax(data: Buffer): Readonly<Record<string, string>> {
  const all: Record<string, string> = {};
  for (let at = 0; at < data.length; ) {
    const space = data.indexOf(0x20, at);
    const length = Number(data.toString("latin1", at, space));
    if (!(length > 0)) break;
    const line = data.toString("utf8", space + 1, at + length - 1);
    const equals = line.indexOf("=");
    all[line.slice(0, equals)] = line.slice(equals + 1);
    at += length;
  }
  return all;
}
