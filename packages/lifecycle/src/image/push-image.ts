import type { Image } from "./image.ts";
import type { Repository } from "./registry/index.ts";

export interface PushResult {
  /** Number of uploaded bytes; blobs that the registry already had do not count. */
  readonly sent: number;
}

/** Pushes blobs before the manifests that reference them, and the tag last, so that the registry never serves an incomplete image. */
export async function pushImage(repository: Repository, { blobs, manifests, root }: Image, reference: string): Promise<PushResult> {
  let sent = 0;
  for (const blob of blobs) if (await repository.upload(blob)) sent += blob.size;
  for (const manifest of manifests) {
    await repository.putManifest(manifest, manifest === root && !reference.startsWith("sha256:") ? reference : manifest.digest);
    sent += manifest.size;
  }
  return { sent };
}
