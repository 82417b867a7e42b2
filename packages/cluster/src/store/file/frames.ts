import { crc32 } from "node:zlib";

/** Length of the payload, its checksum, and the checksum of those two: a length that is wrong never leads astray. */
const HEADER = 12;
/** What a disk writes in one go. */
const SECTOR = 512;

/** A payload as it stands in a file that has come to `position`. */
export function frame(payload: Uint8Array, position: number): Buffer {
  const gap = gapAt(position);
  const bytes = Buffer.alloc(gap + HEADER + payload.length);
  const header = bytes.subarray(gap, gap + HEADER);
  header.writeUInt32LE(payload.length, 0);
  header.writeUInt32LE(crc32(payload), 4);
  header.writeUInt32LE(crc32(header.subarray(0, 8)), 8);
  bytes.set(payload, gap + HEADER);
  return bytes;
}

/** A header lies in one sector, so that a power cut leaves all of it or nothing: zeros come before it where it would not. */
function gapAt(position: number): number {
  const left = SECTOR - (position % SECTOR);
  return left < HEADER ? left : 0;
}

export interface Frames {
  readonly payloads: readonly Buffer[];
  /** Where the last good frame ends. */
  readonly end: number;
  /** What stands behind it. "torn": a write that a crash cut short, "damaged": something that was whole once. */
  readonly rest: "nothing" | "torn" | "damaged";
}

/**
 * Reads frames until the file ends or one is not whole. A killed process leaves the beginning of a frame; a power cut
 * may leave a last frame with sectors that were never written, which read as zeros. Everything else is damage.
 */
export function readFrames(bytes: Buffer, start: number): Frames {
  const payloads: Buffer[] = [];
  let end = start;
  while (end < bytes.length) {
    const at = end + gapAt(end);
    const found = bytes.subarray(end, at).every(isZero) ? frameAt(bytes, at) : "damaged";
    if (typeof found === "string") return { payloads, end, rest: found };
    payloads.push(found);
    end = at + HEADER + found.length;
  }
  return { payloads, end, rest: "nothing" };
}

function frameAt(bytes: Buffer, at: number): Buffer | "torn" | "damaged" {
  if (bytes.length - at < HEADER) return "torn";
  const header = bytes.subarray(at, at + HEADER);
  if (!headerHolds(header)) return header.every(isZero) && !anyFrameAfter(bytes, at) ? "torn" : "damaged";
  const from = at + HEADER;
  const to = from + header.readUInt32LE(0);
  if (to > bytes.length) return "torn";
  const payload = bytes.subarray(from, to);
  if (crc32(payload) === header.readUInt32LE(4)) return payload;
  return to === bytes.length && hasEmptySector(bytes, from) ? "torn" : "damaged";
}

function headerHolds(header: Buffer): boolean {
  return crc32(header.subarray(0, 8)) === header.readUInt32LE(8);
}

function anyFrameAfter(bytes: Buffer, from: number): boolean {
  for (let at = from + 1; at + HEADER <= bytes.length; at++) {
    const header = bytes.subarray(at, at + HEADER);
    const to = at + HEADER + header.readUInt32LE(0);
    if (to > bytes.length || !headerHolds(header) || header.every(isZero)) continue;
    if (crc32(bytes.subarray(at + HEADER, to)) === header.readUInt32LE(4)) return true;
  }
  return false;
}

function hasEmptySector(bytes: Buffer, from: number): boolean {
  for (let at = from; at < bytes.length; ) {
    const next = Math.min(bytes.length, (Math.floor(at / SECTOR) + 1) * SECTOR);
    if (bytes.subarray(at, next).every(isZero)) return true;
    at = next;
  }
  return false;
}

const isZero = (byte: number) => byte === 0;
