import type { Image } from "./image.ts";
import type { Repository } from "./registry/index.ts";

export interface Pushed {
  /** Bytes that went over the wire; the rest was there. */
  readonly sent: number;
}

/** What a manifest names goes before it, and the tag last: nobody ever sees half an image. */
export async function push(to: Repository, { blobs, manifests, root }: Image, reference: string): Promise<Pushed> {
  let sent = 0;
  for (const blob of blobs) if (await to.upload(blob)) sent += blob.size;
  for (const manifest of manifests) {
    await to.putManifest(manifest, manifest === root && !reference.startsWith("sha256:") ? reference : manifest.digest);
    sent += manifest.size;
  }
  return { sent };
}
