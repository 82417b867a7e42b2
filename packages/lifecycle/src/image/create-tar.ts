/** An entry of a tar archive. Paths of folders end in "/". */
export interface TarEntry {
  readonly path: string;
  readonly mode: number;
  readonly data?: Uint8Array | undefined;
  /** The target of a symbolic link. */
  readonly link?: string | undefined;
}

const BLOCK_SIZE = 512;
const NAME_LENGTH = 100;
const PREFIX_LENGTH = 155;

/** Creates a ustar archive, sorted and without owners or times, so that equal entries produce equal bytes. */
export function createTar(entries: readonly TarEntry[]): Buffer {
  const sorted = [...addFolders(entries)].sort((a, b) => (a.path < b.path ? -1 : 1));
  const parts = sorted.flatMap((entry) => {
    const data = entry.data ?? new Uint8Array();
    return [...paxHeader(entry), ustarHeader(entry, data.length), data, createPadding(data.length)];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK_SIZE)]);
}

const createPadding = (size: number) => Buffer.alloc((BLOCK_SIZE - (size % BLOCK_SIZE)) % BLOCK_SIZE);

/** Returns a pax extended header for a path or link target that does not fit the ustar header. */
function paxHeader({ path, link = "" }: TarEntry): readonly Uint8Array[] {
  const records = [
    ...(splitPath(path) === undefined ? [paxRecord("path", path)] : []),
    ...(exceedsNameField(link) ? [paxRecord("linkpath", link)] : []),
  ];
  if (records.length === 0) return [];
  const data = Buffer.from(records.join(""));
  return [encodeHeader({ name: "pax", prefix: "", mode: 0o644, size: data.length, type: "x", link: "" }), data, createPadding(data.length)];
}

/** Formats "30 path=usr/...\n"; the leading length includes itself. */
function paxRecord(key: string, value: string): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  const length = [1, 2, 3, 4, 5].map((digits) => rest + digits).find((total) => rest + String(total).length === total);
  return `${length} ${key}=${value}\n`;
}

/** Adds an entry for every parent folder; otherwise some runtimes create them with their own modes. */
function addFolders(entries: readonly TarEntry[]): Iterable<TarEntry> {
  const all = new Map(entries.map((entry) => [entry.path, entry]));
  for (const { path } of entries) {
    for (let end = path.indexOf("/"); end >= 0 && end < path.length - 1; end = path.indexOf("/", end + 1)) {
      const folder = path.slice(0, end + 1);
      if (!all.has(folder)) all.set(folder, { path: folder, mode: 0o755 });
    }
  }
  return all.values();
}

function ustarHeader({ path, mode, link }: TarEntry, size: number): Buffer {
  const type = link !== undefined ? "2" : path.endsWith("/") ? "5" : "0";
  return encodeHeader({ ...(splitPath(path) ?? { name: path, prefix: "" }), mode, size, type, link: link ?? "" });
}

interface HeaderFields {
  readonly name: string;
  readonly prefix: string;
  readonly mode: number;
  readonly size: number;
  readonly type: string;
  readonly link: string;
}

function encodeHeader({ name, prefix, mode, size, type, link }: HeaderFields): Buffer {
  const bytes = Buffer.alloc(BLOCK_SIZE);
  const writeField = (text: string, at: number, length: number) => bytes.set(Buffer.from(text).subarray(0, length), at);
  const octal = (value: number, at: number, length: number) => writeField(`${value.toString(8).padStart(length - 1, "0")}\0`, at, length);
  writeField(name, 0, NAME_LENGTH);
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  writeField("        ", 148, 8);
  writeField(type, 156, 1);
  writeField(link, 157, NAME_LENGTH);
  writeField("ustar\x0000", 257, 8);
  octal(0, 329, 8);
  octal(0, 337, 8);
  writeField(prefix, 345, PREFIX_LENGTH);
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  writeField(`${sum.toString(8).padStart(6, "0")}\0 `, 148, 8);
  return bytes;
}

const exceedsNameField = (text: string) => Buffer.byteLength(text) > NAME_LENGTH;

/** Splits a path into the prefix and name fields of a ustar header; undefined if it does not fit. */
function splitPath(path: string): Pick<HeaderFields, "name" | "prefix"> | undefined {
  if (!exceedsNameField(path)) return { name: path, prefix: "" };
  for (let at = path.lastIndexOf("/", path.length - 2); at > 0; at = path.lastIndexOf("/", at - 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (exceedsNameField(name)) break;
    if (Buffer.byteLength(prefix) <= PREFIX_LENGTH) return { name, prefix };
  }
  return undefined;
}
