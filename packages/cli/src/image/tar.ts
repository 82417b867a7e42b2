/** One entry of an archive. Folders end in "/". */
export interface Entry {
  readonly path: string;
  readonly mode: number;
  readonly data?: Uint8Array | undefined;
  /** A symbolic link, and where it leads. */
  readonly link?: string | undefined;
}

const BLOCK = 512;
const NAME = 100;
const PREFIX = 155;

/** A ustar archive: sorted, owned by root, without times, so that the same entries are the same bytes. */
export function tar(entries: readonly Entry[]): Buffer {
  const sorted = [...withFolders(entries)].sort((a, b) => (a.path < b.path ? -1 : 1));
  const parts = sorted.flatMap((entry) => {
    const data = entry.data ?? new Uint8Array();
    return [...long(entry), header(entry, data.length), data, padding(data.length)];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

const padding = (size: number) => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);

/** What does not fit into a header is said in a pax record before it. */
function long({ path, link = "" }: Entry): readonly Uint8Array[] {
  const records = [...(split(path) === undefined ? [record("path", path)] : []), ...(isLong(link) ? [record("linkpath", link)] : [])];
  if (records.length === 0) return [];
  const data = Buffer.from(records.join(""));
  return [block({ name: "pax", prefix: "", mode: 0o644, size: data.length, type: "x", link: "" }), data, padding(data.length)];
}

/** "30 path=usr/...\n": its own length comes first, and counts itself. */
function record(key: string, value: string): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  const length = [1, 2, 3, 4, 5].map((digits) => rest + digits).find((total) => rest + String(total).length === total);
  return `${length} ${key}=${value}\n`;
}

/** Every folder on the way to a file is an entry of its own, else some runtimes make it with modes of their own. */
function withFolders(entries: readonly Entry[]): Iterable<Entry> {
  const all = new Map(entries.map((entry) => [entry.path, entry]));
  for (const { path } of entries) {
    for (let end = path.indexOf("/"); end >= 0 && end < path.length - 1; end = path.indexOf("/", end + 1)) {
      const folder = path.slice(0, end + 1);
      if (!all.has(folder)) all.set(folder, { path: folder, mode: 0o755 });
    }
  }
  return all.values();
}

function header({ path, mode, link }: Entry, size: number): Buffer {
  const type = link !== undefined ? "2" : path.endsWith("/") ? "5" : "0";
  return block({ ...(split(path) ?? { name: path, prefix: "" }), mode, size, type, link: link ?? "" });
}

interface Fields {
  readonly name: string;
  readonly prefix: string;
  readonly mode: number;
  readonly size: number;
  readonly type: string;
  readonly link: string;
}

function block({ name, prefix, mode, size, type, link }: Fields): Buffer {
  const bytes = Buffer.alloc(BLOCK);
  const field = (text: string, at: number, length: number) => bytes.set(Buffer.from(text).subarray(0, length), at);
  const octal = (value: number, at: number, length: number) => field(`${value.toString(8).padStart(length - 1, "0")}\0`, at, length);
  field(name, 0, NAME);
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  field("        ", 148, 8);
  field(type, 156, 1);
  field(link, 157, NAME);
  field("ustar\x0000", 257, 8);
  octal(0, 329, 8);
  octal(0, 337, 8);
  field(prefix, 345, PREFIX);
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  field(`${sum.toString(8).padStart(6, "0")}\0 `, 148, 8);
  return bytes;
}

const isLong = (text: string) => Buffer.byteLength(text) > NAME;

/** Into the two fields of a header; undefined where it does not fit. */
function split(path: string): Pick<Fields, "name" | "prefix"> | undefined {
  if (!isLong(path)) return { name: path, prefix: "" };
  for (let at = path.lastIndexOf("/", path.length - 2); at > 0; at = path.lastIndexOf("/", at - 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (isLong(name)) break;
    if (Buffer.byteLength(prefix) <= PREFIX) return { name, prefix };
  }
  return undefined;
}
