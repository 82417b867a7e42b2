import path from "node:path";
import type { Random } from "pintle/internal/clock";
import type { Disk } from "../../src/store/file/disk.ts";

/** A file: after a power cut only synced content is certain. */
interface File {
  /** Content as the operating system shows it. */
  bytes: Buffer;
  /** Content that was synced. */
  safe: Buffer;
}

export interface SimulatedDisk extends Disk {
  /** Every modifying or syncing call, in order: "write a.log 12", "sync a.log". */
  readonly calls: string[];
  /** Called before each of them; may throw. For a write it may return how many bytes get through before the error. */
  before: (call: string, bytes?: Uint8Array) => undefined | { readonly through: number; readonly error: Error };
  /** The disk as the next process sees it after kill -9. */
  killed(): SimulatedDisk;
  /** The disk after a power cut: any sector of unsynced content may be present. */
  powerCut(random: Random): SimulatedDisk;
  /** Modifies a file from outside. */
  change(file: string, change: (bytes: Buffer) => Buffer): void;
}

const SECTOR = 512;

export function simulatedDisk(before: ReadonlyMap<string, Buffer> = new Map()): SimulatedDisk {
  const copy = (bytes: Buffer): File => ({ bytes, safe: bytes });
  const names = new Map([...before].map(([name, bytes]) => [name, copy(bytes)]));
  let safeNames = new Map(names);
  /** After a kill or power cut the old process fails. */
  let over = false;

  const recordCall = (call: string, bytes?: Uint8Array) => {
    if (over) throw new Error("the process has ended");
    const stop = disk.before(call, bytes);
    disk.calls.push(call);
    return stop;
  };
  const file = (name: string): File => {
    const found = names.get(name);
    if (found === undefined) throw new Error(`ENOENT: ${name}`);
    return found;
  };

  const disk: SimulatedDisk = {
    calls: [],
    before: () => undefined,
    makeFolder() {},
    lock: async () => ({ release() {} }),
    listFiles: (folder) => [...names.keys()].filter((name) => path.dirname(name) === folder).map((name) => path.basename(name)),
    read: (name) => Buffer.from(file(name).bytes),
    create(name) {
      if (names.has(name)) throw new Error(`EEXIST: ${name}`);
      recordCall(`create ${path.basename(name)}`);
      names.set(name, { bytes: Buffer.alloc(0), safe: Buffer.alloc(0) });
      return disk.open(name);
    },
    open(name) {
      const opened = file(name);
      const currentName = () => path.basename([...names].find(([, each]) => each === opened)?.[0] ?? "removed");
      return {
        readStart: (length) => Buffer.from(opened.bytes.subarray(0, length)),
        hasName: () => [...names.values()].includes(opened),
        write(bytes, position) {
          const stop = recordCall(`write ${currentName()} ${bytes.length}`, bytes);
          const through = Buffer.from(bytes.subarray(0, stop?.through ?? bytes.length));
          const grown = Buffer.alloc(Math.max(opened.bytes.length, position + through.length));
          opened.bytes.copy(grown);
          through.copy(grown, position);
          opened.bytes = grown;
          if (stop) throw stop.error;
        },
        truncate(length) {
          if (opened.bytes.length === length) return;
          recordCall(`truncate ${currentName()} ${length}`);
          opened.bytes = Buffer.from(opened.bytes.subarray(0, length));
        },
        async sync() {
          recordCall(`sync ${currentName()}`);
          const { bytes } = opened;
          await slowly();
          if (!over) opened.safe = bytes;
        },
        close() {},
      };
    },
    rename(from, to) {
      recordCall(`rename ${path.basename(from)} ${path.basename(to)}`);
      names.set(to, file(from));
      names.delete(from);
    },
    remove(name) {
      recordCall(`remove ${path.basename(name)}`);
      names.delete(name);
    },
    async syncFolder(folder) {
      recordCall(`sync ${path.basename(folder)}/`);
      const now = new Map(names);
      await slowly();
      if (!over) safeNames = now;
    },
    killed() {
      over = true;
      return simulatedDisk(new Map([...names].map(([name, { bytes }]) => [name, bytes])));
    },
    powerCut(random) {
      over = true;
      const after = new Map<string, Buffer>();
      for (const name of new Set([...names.keys(), ...safeNames.keys()])) {
        const [then, now] = [safeNames.get(name), names.get(name)];
        const found = then === now || random() < 0.5 ? then : now;
        if (found !== undefined) after.set(name, mixUnsynced(found, random));
      }
      return simulatedDisk(after);
    },
    change(name, change) {
      const found = file(name);
      found.bytes = change(found.bytes);
      found.safe = found.bytes;
    },
  };
  return disk;
}

/** Yields long enough for concurrent work to proceed. */
async function slowly(): Promise<void> {
  for (let turn = 0; turn < 8; turn++) await undefined;
}

function mixUnsynced({ bytes, safe }: File, random: Random): Buffer {
  const result = Buffer.alloc(random() < 0.5 ? bytes.length : safe.length);
  safe.copy(result);
  for (let at = 0; at < result.length; at += SECTOR) {
    if (random() < 0.5) bytes.copy(result, at, at, Math.min(at + SECTOR, result.length, bytes.length));
  }
  return result;
}
