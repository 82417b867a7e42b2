import { createHash, randomUUID } from "node:crypto";
import type { Clock } from "pintle/internal/clock";

/** Bounds of what a registry keeps in memory. */
export interface RegistryLimits {
  /** Bytes of one manifest, as in the reference implementation of the distribution API. */
  readonly manifestBytes: number;
  /** Bytes of one blob. */
  readonly blobBytes: number;
  /** Bytes of all manifests, blobs and unfinished uploads. */
  readonly totalBytes: number;
  /** Number of unfinished uploads. */
  readonly uploads: number;
}

export const REGISTRY_LIMITS: RegistryLimits = {
  manifestBytes: 4 * 1024 * 1024,
  blobBytes: 1024 * 1024 * 1024,
  totalBytes: 4 * 1024 * 1024 * 1024,
  uploads: 256,
};
/** An upload without a request for this long is abandoned. */
const UPLOAD_IDLE_MS = 10 * 60_000;
const SMALL_PART_BYTES = 64 * 1024;
/** What a tag or manifest takes besides its content, roughly. */
const ENTRY_BYTES = 512;

export interface StoredManifest {
  readonly type: string;
  readonly bytes: Buffer;
}
export interface StoredRepository {
  readonly manifests: Map<string, StoredManifest>;
  readonly tags: Map<string, string>;
}
export interface Upload {
  readonly id: string;
  readonly parts: readonly Buffer[];
  readonly size: number;
}

export const digestOf = (bytes: Uint8Array) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

/** The content of a registry, in memory. Every byte is reserved before it is kept. */
export class RegistryContent {
  readonly repositories = new Map<string, StoredRepository>();
  /** Content-addressed and shared by all repositories. */
  readonly #blobs = new Map<string, Buffer>();
  readonly #uploads = new Map<string, { readonly id: string; readonly parts: Buffer[]; size: number; usedAt: number }>();
  readonly #limits: RegistryLimits;
  readonly #clock: Clock;
  #used = 0;

  constructor(limits: RegistryLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Reserves bytes. Returns false if there is no room for them. */
  reserve = (bytes: number): boolean => {
    if (this.#used + bytes > this.#limits.totalBytes) return false;
    this.#used += bytes;
    return true;
  };
  release = (bytes: number): void => {
    this.#used -= bytes;
  };

  blob(digest: string): Buffer | undefined {
    return this.#blobs.get(digest);
  }

  deleteBlob(digest: string): void {
    this.release(this.#blobs.get(digest)?.length ?? 0);
    this.#blobs.delete(digest);
  }

  /** Starts an upload; undefined if there are too many. */
  startUpload(): Upload | undefined {
    const now = this.#clock.monotonic();
    for (const upload of this.#uploads.values()) if (now - upload.usedAt > UPLOAD_IDLE_MS) this.cancelUpload(upload.id);
    if (this.#uploads.size >= this.#limits.uploads) return undefined;
    const upload = { id: randomUUID(), parts: [], size: 0, usedAt: now };
    this.#uploads.set(upload.id, upload);
    return upload;
  }

  upload(id: string): Upload | undefined {
    const upload = this.#uploads.get(id);
    if (upload !== undefined) upload.usedAt = this.#clock.monotonic();
    return upload;
  }

  /** Appends bytes that were reserved. */
  append({ id }: Upload, part: Buffer): void {
    const upload = this.#uploads.get(id);
    if (upload === undefined) {
      // Cancelled meanwhile.
      this.release(part.length);
      return;
    }
    upload.size += part.length;
    const last = upload.parts.at(-1);
    // Small chunks are joined: each would otherwise keep the whole buffer that it was read into.
    if (last !== undefined && last.length + part.length <= SMALL_PART_BYTES)
      upload.parts[upload.parts.length - 1] = Buffer.concat([last, part]);
    else if (part.length > 0) upload.parts.push(part.length <= SMALL_PART_BYTES ? Buffer.from(part) : part);
  }

  cancelUpload(id: string): void {
    this.release(this.#uploads.get(id)?.size ?? 0);
    this.#uploads.delete(id);
  }

  /** Stores the bytes of an upload as a blob and ends the upload. Returns their digest; only a blob with the expected digest is stored. */
  finishUpload({ id, parts, size }: Upload, expected: string): string {
    const bytes = Buffer.concat(parts, size);
    const digest = digestOf(bytes);
    if (digest !== expected || this.#blobs.has(digest)) this.cancelUpload(id);
    else {
      this.#blobs.set(digest, bytes);
      this.#uploads.delete(id);
    }
    return digest;
  }

  /** Stores a manifest whose bytes were reserved, under its digest and a tag. */
  putManifest(name: string, manifest: StoredManifest, tag: string | undefined): string {
    const digest = digestOf(manifest.bytes);
    const repository = this.repositories.get(name) ?? { manifests: new Map(), tags: new Map() };
    this.repositories.set(name, repository);
    const previous = repository.manifests.get(digest);
    if (previous === undefined) this.#used += ENTRY_BYTES;
    else this.release(previous.bytes.length);
    repository.manifests.set(digest, { ...manifest, bytes: Buffer.from(manifest.bytes) });
    if (tag === undefined) return digest;
    if (!repository.tags.has(tag)) this.#used += ENTRY_BYTES;
    repository.tags.set(tag, digest);
    return digest;
  }

  /** Deletes a tag, or a manifest and its tags. */
  deleteManifest(name: string, reference: string): void {
    const repository = this.repositories.get(name);
    if (repository === undefined) return;
    const manifest = repository.manifests.get(reference);
    if (manifest !== undefined) this.release(manifest.bytes.length + ENTRY_BYTES);
    repository.manifests.delete(reference);
    for (const [tag, digest] of repository.tags) {
      if (tag !== reference && digest !== reference) continue;
      this.release(ENTRY_BYTES);
      repository.tags.delete(tag);
    }
  }
}
