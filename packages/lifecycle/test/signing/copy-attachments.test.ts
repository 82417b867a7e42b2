import { describe, expect, test } from "vitest";
import { type Blob, createBlob, type Descriptor, type Image, type ImageStore, MEDIA_TYPES, toDescriptor } from "../../src/image/index.ts";
import { copyAttachments } from "../../src/signing/index.ts";

const SUBJECT = `sha256:${"a".repeat(64)}`;
const TAG = SUBJECT.replace(":", "-");

/** A store in memory; with `api`, one that lists what refers to a digest, as registries with the referrers API do. */
function createStore(api: boolean) {
  const blobs = new Map<string, Blob>();
  const manifests = new Map<string, Blob>();
  const find = (reference: string) => {
    const blob = manifests.get(reference);
    if (blob === undefined) throw new Error(`${reference} not found`);
    return blob;
  };
  const readManifest = async (reference: string) => {
    const blob = find(reference);
    return { mediaType: blob.mediaType, digest: blob.digest, text: Buffer.from(await blob.bytes()).toString() };
  };
  const base: ImageStore = {
    name: "memory",
    manifest: readManifest,
    blob: (descriptor) => blobs.get(descriptor.digest) as Blob,
  };
  const images = !api
    ? base
    : {
        ...base,
        has: (_: string, reference: string) => Promise.resolve(manifests.has(reference)),
        async referrers(digest: string) {
          const found: Descriptor[] = [];
          for (const [reference, blob] of manifests) {
            if (!reference.startsWith("sha256:")) continue;
            const { subject } = JSON.parse(Buffer.from(await blob.bytes()).toString()) as { readonly subject?: Descriptor };
            if (subject?.digest === digest) found.push(toDescriptor(blob));
          }
          return found;
        },
      };
  const write = async ({ blobs: parts, manifests: all, root }: Image, reference: string) => {
    for (const blob of parts) blobs.set(blob.digest, blob);
    for (const each of all) manifests.set(each.digest, each);
    manifests.set(reference, root);
    return [...parts, ...all].reduce((sum, each) => sum + each.size, 0);
  };
  return { images: images as ImageStore, write, listsReferrers: () => Promise.resolve(api), manifests };
}

function artifact(text: string, subject: string): Image {
  const config = createBlob("application/vnd.oci.empty.v1+json", Buffer.from("{}"));
  const layer = createBlob("text/plain", Buffer.from(text));
  const value = {
    schemaVersion: 2,
    mediaType: MEDIA_TYPES.manifest,
    config: toDescriptor(config),
    layers: [toDescriptor(layer)],
    subject: { mediaType: MEDIA_TYPES.manifest, digest: subject, size: 3 },
  };
  const root = createBlob(MEDIA_TYPES.manifest, Buffer.from(JSON.stringify(value)));
  return { blobs: [config, layer], manifests: [root], root };
}

describe("copyAttachments", () => {
  const sbom = artifact("sbom", SUBJECT);
  const signature = artifact("signature of the SBOM", sbom.root.digest);
  const cosign = artifact("cosign", SUBJECT);

  test("keeps referrers, referrers of referrers, and tags of cosign between registries with the API", async () => {
    const [from, to] = [createStore(true), createStore(true)];
    for (const image of [sbom, signature]) await from.write(image, image.root.digest);
    await from.write(cosign, `${TAG}.sig`);
    from.manifests.delete(cosign.root.digest);
    expect(await copyAttachments(from.images, [SUBJECT], to)).toMatchObject({ count: 3 });
    expect([...to.manifests.keys()].sort()).toEqual([cosign.root.digest, sbom.root.digest, signature.root.digest, `${TAG}.sig`].sort());
  });

  test("lists them by tag where there is no API, beside what is listed there", async () => {
    const [from, to] = [createStore(true), createStore(false)];
    await from.write(sbom, sbom.root.digest);
    const others = createStore(true);
    const known = artifact("attached before", SUBJECT);
    await others.write(known, known.root.digest);
    await copyAttachments(others.images, [SUBJECT], to);
    await copyAttachments(from.images, [SUBJECT], to);
    await copyAttachments(from.images, [SUBJECT], to);
    const { text } = await to.images.manifest(TAG);
    const { manifests } = JSON.parse(text) as { readonly manifests: readonly Descriptor[] };
    expect(manifests.map(({ digest }) => digest)).toEqual([known.root.digest, sbom.root.digest]);
    // From there it goes on to a registry with the API.
    const last = createStore(true);
    expect(await copyAttachments(to.images, [SUBJECT], last)).toMatchObject({ count: 2 });
    expect([...last.manifests.keys()].sort()).toEqual([known.root.digest, sbom.root.digest].sort());
  });
});
