import { crc32 } from "node:zlib";

/** Payload length, payload checksum, and a checksum of those two, so that a corrupt length is detected. */
const HEADER_BYTES = 12;
/** Unit of an atomic disk write. */
const SECTOR_BYTES = 512;

/** Returns the payload as a frame to be written at `position`. */
export function encodeFrame(payload: Uint8Array, position: number): Buffer {
  const gap = paddingAt(position);
  const bytes = Buffer.alloc(gap + HEADER_BYTES + payload.length);
  const header = bytes.subarray(gap, gap + HEADER_BYTES);
  header.writeUInt32LE(payload.length, 0);
  header.writeUInt32LE(crc32(payload), 4);
  header.writeUInt32LE(crc32(header.subarray(0, 8)), 8);
  bytes.set(payload, gap + HEADER_BYTES);
  return bytes;
}

/** A header never crosses a sector boundary, so that a power cut leaves all of it or nothing; zeros pad the gap before it. */
function paddingAt(position: number): number {
  const left = SECTOR_BYTES - (position % SECTOR_BYTES);
  return left < HEADER_BYTES ? left : 0;
}

export interface FrameScan {
  readonly payloads: readonly Buffer[];
  /** Where the frame of each payload begins. */
  readonly offsets: readonly number[];
  /** End of the last intact frame. */
  readonly end: number;
  /** What follows it. "torn": a write that a crash cut short; "damaged": a frame that was complete once. */
  readonly tail: "nothing" | "torn" | "damaged";
}

/**
 * Reads frames up to the end or the first incomplete one. A killed process leaves the beginning of a frame; a power cut may leave a last
 * frame with sectors that were never written and read as zeros. Everything else is damage. Stops after `limit` frames.
 */
export function readFrames(bytes: Buffer, start: number, limit = Number.POSITIVE_INFINITY): FrameScan {
  const payloads: Buffer[] = [];
  const offsets: number[] = [];
  let end = start;
  while (end < bytes.length && payloads.length < limit) {
    const at = end + paddingAt(end);
    const found = bytes.subarray(end, at).every(isZeroByte) ? readFrameAt(bytes, at) : "damaged";
    if (typeof found === "string") return { payloads, offsets, end, tail: found };
    payloads.push(found);
    offsets.push(end);
    end = at + HEADER_BYTES + found.length;
  }
  return { payloads, offsets, end, tail: "nothing" };
}

function readFrameAt(bytes: Buffer, at: number): Buffer | "torn" | "damaged" {
  if (bytes.length - at < HEADER_BYTES) return "torn";
  const header = bytes.subarray(at, at + HEADER_BYTES);
  if (!isHeaderValid(header)) return header.every(isZeroByte) && !hasFrameAfter(bytes, at) ? "torn" : "damaged";
  const from = at + HEADER_BYTES;
  const to = from + header.readUInt32LE(0);
  if (to > bytes.length) return "torn";
  const payload = bytes.subarray(from, to);
  if (crc32(payload) === header.readUInt32LE(4)) return payload;
  return to === bytes.length && hasEmptySector(bytes, from) ? "torn" : "damaged";
}

function isHeaderValid(header: Buffer): boolean {
  return crc32(header.subarray(0, 8)) === header.readUInt32LE(8);
}

function hasFrameAfter(bytes: Buffer, from: number): boolean {
  for (let at = from + 1; at + HEADER_BYTES <= bytes.length; at++) {
    const header = bytes.subarray(at, at + HEADER_BYTES);
    const to = at + HEADER_BYTES + header.readUInt32LE(0);
    if (to > bytes.length || !isHeaderValid(header) || header.every(isZeroByte)) continue;
    if (crc32(bytes.subarray(at + HEADER_BYTES, to)) === header.readUInt32LE(4)) return true;
  }
  return false;
}

function hasEmptySector(bytes: Buffer, from: number): boolean {
  for (let at = from; at < bytes.length; ) {
    const next = Math.min(bytes.length, (Math.floor(at / SECTOR_BYTES) + 1) * SECTOR_BYTES);
    if (bytes.subarray(at, next).every(isZeroByte)) return true;
    at = next;
  }
  return false;
}

const isZeroByte = (byte: number) => byte === 0;
