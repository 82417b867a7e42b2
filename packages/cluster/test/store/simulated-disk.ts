import path from "node:path";
import type { Random } from "pintle/queue";
import type { Disk } from "../../src/store/file/disk.ts";

/** What a power cut spares: only what was synced is sure. */
interface File {
  /** As the operating system shows it. */
  bytes: Buffer;
  /** As the disk has it. */
  safe: Buffer;
}

export interface SimulatedDisk extends Disk {
  /** Every call that changes something or makes it safe, in order: "write a.log 12", "sync a.log". */
  readonly calls: string[];
  /** Asked before each of them; may throw. A write may say how many of its bytes get through before it throws. */
  before: (call: string, bytes?: Uint8Array) => undefined | { readonly through: number; readonly error: Error };
  /** The same disk, seen by the next process after a kill -9. */
  killed(): SimulatedDisk;
  /** ... after a power cut: of what was not synced, any part may be there, sector by sector. */
  powerCut(random: Random): SimulatedDisk;
  /** Damages or cuts a file from outside. */
  change(file: string, change: (bytes: Buffer) => Buffer): void;
}

const SECTOR = 512;

export function simulatedDisk(before: ReadonlyMap<string, Buffer> = new Map()): SimulatedDisk {
  const copy = (bytes: Buffer): File => ({ bytes, safe: bytes });
  const names = new Map([...before].map(([name, bytes]) => [name, copy(bytes)]));
  let safeNames = new Map(names);
  /** After a kill or a power cut the old process does nothing any more. */
  let over = false;

  const told = (call: string, bytes?: Uint8Array) => {
    if (over) throw new Error("the process is gone");
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
    lock: () => () => {},
    names: (folder) => [...names.keys()].filter((name) => path.dirname(name) === folder).map((name) => path.basename(name)),
    read: (name) => Buffer.from(file(name).bytes),
    open(name) {
      if (!names.has(name)) {
        told(`create ${path.basename(name)}`);
        names.set(name, { bytes: Buffer.alloc(0), safe: Buffer.alloc(0) });
      }
      const opened = file(name);
      return {
        write(bytes, position) {
          const stop = told(`write ${path.basename(name)} ${bytes.length}`, bytes);
          const through = Buffer.from(bytes.subarray(0, stop?.through ?? bytes.length));
          const grown = Buffer.alloc(Math.max(opened.bytes.length, position + through.length));
          opened.bytes.copy(grown);
          through.copy(grown, position);
          opened.bytes = grown;
          if (stop) throw stop.error;
        },
        truncate(length) {
          if (opened.bytes.length === length) return;
          told(`truncate ${path.basename(name)} ${length}`);
          opened.bytes = Buffer.from(opened.bytes.subarray(0, length));
        },
        async sync() {
          told(`sync ${path.basename(name)}`);
          const { bytes } = opened;
          await slowly();
          if (!over) opened.safe = bytes;
        },
        close() {},
      };
    },
    rename(from, to) {
      told(`rename ${path.basename(from)} ${path.basename(to)}`);
      names.set(to, file(from));
      names.delete(from);
    },
    remove(name) {
      told(`remove ${path.basename(name)}`);
      names.delete(name);
    },
    async syncFolder(folder) {
      told(`sync ${path.basename(folder)}/`);
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
        if (found !== undefined) after.set(name, mixed(found, random));
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

/** Long enough that whoever waits for something else gets their turn. */
async function slowly(): Promise<void> {
  for (let turn = 0; turn < 8; turn++) await undefined;
}

function mixed({ bytes, safe }: File, random: Random): Buffer {
  const result = Buffer.alloc(random() < 0.5 ? bytes.length : safe.length);
  safe.copy(result);
  for (let at = 0; at < result.length; at += SECTOR) {
    if (random() < 0.5) bytes.copy(result, at, at, Math.min(at + SECTOR, result.length, bytes.length));
  }
  return result;
}
