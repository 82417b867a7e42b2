import { blob, descriptor, jsonBlob, MEDIA, writeLayout } from "../../packages/cli/src/image/index.ts";

/** A base with nothing in it, as an OCI layout in a folder: building on it is quick. */
export async function smallBase(folder: string): Promise<void> {
  const layer = blob(MEDIA.layer, Buffer.alloc(1024));
  const config = jsonBlob(MEDIA.config, { os: "linux", architecture: "amd64", rootfs: { type: "layers", diff_ids: [layer.digest] } });
  const manifest = jsonBlob(MEDIA.manifest, {
    schemaVersion: 2,
    mediaType: MEDIA.manifest,
    config: descriptor(config),
    layers: [descriptor(layer)],
  });
  await writeLayout(folder, { blobs: [layer, config], manifests: [manifest], root: manifest }, "latest");
}
