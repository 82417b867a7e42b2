/** An entry of an archive for tests, with every type and any name, however wrong. */
export interface RawEntry {
  readonly path: string;
  /** The type flag: "0" file, "1" hard link, "2" link, "3" device, "5" folder, "6" named pipe. Default: "0". */
  readonly flag?: string;
  readonly data?: Uint8Array | string;
  readonly target?: string;
  /** What the header says, if it is not the length of the data. */
  readonly size?: number;
}

/** Writes an archive without checking anything; long names become pax headers. */
export function writeTar(entries: readonly RawEntry[]): Buffer {
  return Buffer.concat([...entries.flatMap(writeEntry), Buffer.alloc(1024)]);
}

function writeEntry({ path, flag = "0", data = "", target = "", size }: RawEntry): Buffer[] {
  const bytes = Buffer.from(data);
  const records = [
    ...(Buffer.byteLength(path) > 100 ? [paxRecord("path", path)] : []),
    ...(Buffer.byteLength(target) > 100 ? [paxRecord("linkpath", target)] : []),
  ].join("");
  const pax = records === "" ? [] : [header("pax", "x", Buffer.byteLength(records), ""), pad(Buffer.from(records))];
  return [...pax, header(path, flag, size ?? bytes.length, target), pad(bytes)];
}

function pad(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]);
}

function paxRecord(key: string, value: string): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  const length = [1, 2, 3, 4, 5].map((digits) => rest + digits).find((total) => rest + String(total).length === total);
  return `${length} ${key}=${value}\n`;
}

function header(path: string, flag: string, size: number, target: string): Buffer {
  const block = Buffer.alloc(512);
  block.write(path.slice(0, 100), 0);
  block.write("0000644\0", 100);
  block.write(`${size.toString(8).padStart(11, "0")}\0`, 124);
  block.write("        ", 148);
  block.write(flag, 156);
  block.write(target.slice(0, 100), 157);
  block.write("ustar\x0000", 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}
