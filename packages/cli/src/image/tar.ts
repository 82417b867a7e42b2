/** One entry of an archive. Folders end in "/". */
export interface Entry {
  readonly path: string;
  readonly mode: number;
  readonly data?: Uint8Array | undefined;
}

const BLOCK = 512;

/** A ustar archive: sorted, owned by root, without times, so that the same entries are the same bytes. */
export function tar(entries: readonly Entry[]): Buffer {
  const sorted = [...withFolders(entries)].sort((a, b) => (a.path < b.path ? -1 : 1));
  const parts = sorted.flatMap((entry) => {
    const data = entry.data ?? new Uint8Array();
    return [header(entry, data.length), data, Buffer.alloc((BLOCK - (data.length % BLOCK)) % BLOCK)];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
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

function header({ path, mode }: Entry, size: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  const { name, prefix } = split(path);
  const field = (text: string, at: number, length: number) => block.write(text.slice(0, length), at, "utf8");
  const octal = (value: number, at: number, length: number) => field(`${value.toString(8).padStart(length - 1, "0")}\0`, at, length);
  field(name, 0, 100);
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  field("        ", 148, 8);
  field(path.endsWith("/") ? "5" : "0", 156, 1);
  field("ustar\x0000", 257, 8);
  octal(0, 329, 8);
  octal(0, 337, 8);
  field(prefix, 345, 155);
  const sum = block.reduce((total, byte) => total + byte, 0);
  field(`${sum.toString(8).padStart(6, "0")}\0 `, 148, 8);
  return block;
}

function split(path: string): { readonly name: string; readonly prefix: string } {
  if (Buffer.byteLength(path) <= 100) return { name: path, prefix: "" };
  for (let at = path.lastIndexOf("/", path.length - 2); at > 0; at = path.lastIndexOf("/", at - 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (Buffer.byteLength(prefix) <= 155 && Buffer.byteLength(name) <= 100) return { name, prefix };
    if (Buffer.byteLength(name) > 100) break;
  }
  throw new RangeError(`${path} is too long a path for an archive`);
}
