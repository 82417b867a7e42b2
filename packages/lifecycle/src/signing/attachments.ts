import {
  type Blob,
  createBlob,
  createJsonBlob,
  type Descriptor,
  type ImageStore,
  MEDIA_TYPES,
  parseImageIndex,
  type Repository,
  toDescriptor,
} from "../image/index.ts";

/** The bundle of a signature or an attestation. */
export const BUNDLE_MEDIA_TYPE = "application/vnd.dev.sigstore.bundle.v0.3+json";
const EMPTY_MEDIA_TYPE = "application/vnd.oci.empty.v1+json";

/** The tag that belongs to an image: with `sig` and `att` as cosign names them, without as the fall-back of the referrers API. */
export function attachmentTag(digest: string, suffix = ""): string {
  return `${digest.replace(":", "-")}${suffix}`;
}

/** Pushes an artifact that refers to an image, and makes the registry list it, by tag where it has no API for that. */
export async function attachReferrer(
  repository: Repository,
  subject: Descriptor,
  artifact: { readonly artifactType: string; readonly content: Uint8Array; readonly annotations: Readonly<Record<string, string>> },
): Promise<Descriptor> {
  const { artifactType, annotations } = artifact;
  const config = createBlob(EMPTY_MEDIA_TYPE, Buffer.from("{}"));
  const layer = createBlob(artifactType, artifact.content);
  const { mediaType, digest, size } = subject;
  const manifest = createJsonBlob(MEDIA_TYPES.manifest, {
    schemaVersion: 2,
    mediaType: MEDIA_TYPES.manifest,
    artifactType,
    config: toDescriptor(config),
    layers: [toDescriptor(layer)],
    subject: { mediaType, digest, size },
    annotations,
  });
  await repository.upload(config);
  await repository.upload(layer);
  const { hasReferrersApi } = await repository.putManifest(manifest, manifest.digest);
  const entry: Descriptor = { ...toDescriptor(manifest), artifactType, annotations };
  if (!hasReferrersApi) await addToFallback(repository, digest, entry);
  return entry;
}

async function addToFallback(repository: Repository, digest: string, entry: Descriptor): Promise<void> {
  const tag = attachmentTag(digest);
  const listed = (await readFallback(repository, digest)) ?? [];
  const manifests = [...listed.filter((each) => each.digest !== entry.digest), entry];
  const index = createJsonBlob(MEDIA_TYPES.index, { schemaVersion: 2, mediaType: MEDIA_TYPES.index, manifests });
  await repository.putManifest(index, tag);
}

/** Reads the tag that lists what refers to an image, where the registry has no API for that. */
export async function readFallback(images: ImageStore, digest: string): Promise<readonly Descriptor[] | undefined> {
  const tag = attachmentTag(digest);
  const found = await findManifest(images, tag);
  return found === undefined ? undefined : parseImageIndex(found.text, `${images.name}: ${tag}`);
}

/** Lists the artifacts that refer to an image. */
export async function findReferrers(images: ImageStore, digest: string): Promise<readonly Descriptor[]> {
  const listed = isRepository(images) ? await images.referrers(digest) : undefined;
  const tagged = (await readFallback(images, digest)) ?? [];
  return [...new Map([...(listed ?? []), ...tagged].map((each) => [each.digest, each])).values()];
}

/** Adds a layer to the image that cosign keeps under a tag beside an image: all signatures, or all attestations. */
export async function attachArtifact(
  repository: Repository,
  tag: string,
  layer: Blob,
  annotations: Readonly<Record<string, string>>,
): Promise<void> {
  const found = await findManifest(repository, tag);
  const kept = found === undefined ? [] : (JSON.parse(found.text) as { readonly layers: readonly Descriptor[] }).layers;
  const layers = [...kept, { ...toDescriptor(layer), annotations }];
  const created = "0001-01-01T00:00:00Z";
  const config = createJsonBlob(MEDIA_TYPES.config, {
    architecture: "",
    created,
    history: layers.map(() => ({ created })),
    os: "",
    rootfs: { type: "layers", diff_ids: layers.map(({ digest }) => digest) },
    config: {},
  });
  const manifest = createJsonBlob(MEDIA_TYPES.manifest, {
    schemaVersion: 2,
    mediaType: MEDIA_TYPES.manifest,
    config: toDescriptor(config),
    layers,
  });
  await repository.upload(config);
  await repository.upload(layer);
  await repository.putManifest(manifest, tag);
}

/** Reads a manifest; undefined if there is none. */
export async function findManifest(images: ImageStore, reference: string): Promise<{ readonly text: string } | undefined> {
  if (isRepository(images)) return (await images.has("manifests", reference)) ? images.manifest(reference) : undefined;
  return images.manifest(reference).catch(() => undefined);
}

function isRepository(images: ImageStore): images is Repository {
  return "referrers" in images;
}
