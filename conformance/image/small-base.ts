import { createBlob, createJsonBlob, MEDIA_TYPES, toDescriptor, writeLayout } from "@pintle/lifecycle/internal/image";

/** Writes an empty base image as an OCI layout into a folder; building on it is fast. */
export async function smallBase(folder: string): Promise<void> {
  const layer = createBlob(MEDIA_TYPES.layer, Buffer.alloc(1024));
  const config = createJsonBlob(MEDIA_TYPES.config, {
    os: "linux",
    architecture: "amd64",
    rootfs: { type: "layers", diff_ids: [layer.digest] },
  });
  const manifest = createJsonBlob(MEDIA_TYPES.manifest, {
    schemaVersion: 2,
    mediaType: MEDIA_TYPES.manifest,
    config: toDescriptor(config),
    layers: [toDescriptor(layer)],
  });
  await writeLayout(folder, { blobs: [layer, config], manifests: [manifest], root: manifest }, "latest");
}
