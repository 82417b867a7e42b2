import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type Blob, createJsonBlob, type Descriptor, MEDIA_TYPES, type Repository } from "../../src/image/index.ts";
import { PREDICATE_TYPES, signImage, verifyImage } from "../../src/signing/index.ts";

const key = generateKeyPairSync("ec", { namedCurve: "P-256" });
const other = generateKeyPairSync("ec", { namedCurve: "P-256" });
const NOW = new Date("2030-01-01T00:00:00Z");
const image = createJsonBlob(MEDIA_TYPES.manifest, { schemaVersion: 2, config: {}, layers: [] });
const subject = { name: "localhost/shop", mediaType: image.mediaType, digest: image.digest, size: image.size };
const provenance = { predicateType: PREDICATE_TYPES.provenance, predicate: { buildDefinition: {} } };

/** A registry in memory, with the API of referrers or without. */
function createRepository(hasReferrersApi: boolean) {
  const blobs = new Map<string, Blob>();
  const manifests = new Map<string, Blob>();
  const referrers: Descriptor[] = [];
  const repository: Repository = {
    name: "localhost/shop",
    has: async (kind, reference) => (kind === "blobs" ? blobs : manifests).has(reference),
    async manifest(reference) {
      const { mediaType, digest, bytes } = manifests.get(reference)!;
      return { mediaType, digest, text: Buffer.from(await bytes()).toString() };
    },
    blob: ({ digest }) => blobs.get(digest)!,
    tags: async () => [...manifests.keys()],
    async upload(blob) {
      blobs.set(blob.digest, blob);
      return true;
    },
    async putManifest(manifest, reference) {
      manifests.set(reference, manifest).set(manifest.digest, manifest);
      const { mediaType, digest, size } = manifest;
      const { subject: about } = JSON.parse(Buffer.from(await manifest.bytes()).toString()) as { readonly subject?: unknown };
      if (about !== undefined) referrers.push({ mediaType, digest, size });
      return { hasReferrersApi };
    },
    referrers: async () => (hasReferrersApi ? referrers : undefined),
  };
  return { repository, blobs, manifests };
}

/** Replaces the content of every blob that contains a text, under the same digest, as a registry that lies could. */
function forge(blobs: Map<string, Blob>, change: (text: string) => string, texts: ReadonlyMap<string, string>): void {
  for (const [digest, blob] of blobs) {
    const forged = Buffer.from(change(texts.get(digest)!));
    blobs.set(digest, { ...blob, bytes: async () => forged });
  }
}

async function readTexts(blobs: ReadonlyMap<string, Blob>): Promise<ReadonlyMap<string, string>> {
  return new Map(
    await Promise.all([...blobs].map(async ([digest, blob]) => [digest, Buffer.from(await blob.bytes()).toString()] as const)),
  );
}

describe.each([true, false])("an image in a registry with the referrers API: %s", (hasReferrersApi) => {
  const verify = (repository: Repository, digest = image.digest) => verifyImage(repository, digest, { keys: [key.publicKey] });

  test("signatures and claims of the key are found in both formats", async () => {
    const { repository, manifests } = createRepository(hasReferrersApi);
    await signImage(repository, subject, { key: key.privateKey, attestations: [provenance], now: NOW });
    const { signatures, attestations, rejected } = await verify(repository);
    expect({ formats: signatures.map(({ format }) => format), rejected }).toEqual({ formats: ["tag", "bundle"], rejected: [] });
    expect(attestations).toEqual([
      { ...provenance, format: "tag" },
      { ...provenance, format: "bundle" },
    ]);
    expect(manifests.has(image.digest.replace(":", "-"))).toBe(!hasReferrersApi);
  });

  test("signatures of other keys are rejected, and do not replace each other", async () => {
    const { repository } = createRepository(hasReferrersApi);
    for (const each of [other, key, other]) await signImage(repository, subject, { key: each.privateKey, now: NOW });
    const { signatures, rejected } = await verify(repository);
    expect({ valid: signatures.length, rejected: rejected.map(({ reason }) => reason) }).toEqual({
      valid: 2,
      rejected: Array.from({ length: 4 }, () => "is not signed by the key"),
    });
  });

  test("a signature of another image is not accepted for this one", async () => {
    const { repository, manifests } = createRepository(hasReferrersApi);
    const second = createJsonBlob(MEDIA_TYPES.manifest, { schemaVersion: 2, config: {}, layers: [{}] });
    await signImage(repository, { ...subject, digest: second.digest }, { key: key.privateKey, attestations: [provenance], now: NOW });
    for (const suffix of ["", ".sig", ".att"]) {
      const manifest = manifests.get(second.digest.replace(":", "-") + suffix);
      if (manifest !== undefined) manifests.set(image.digest.replace(":", "-") + suffix, manifest);
    }
    const { signatures, attestations, rejected } = await verify(repository);
    expect({ signatures, attestations }).toEqual({ signatures: [], attestations: [] });
    expect(rejected.every(({ reason }) => /another image/.test(reason))).toBe(true);
    expect(rejected.length).toBeGreaterThanOrEqual(2);
  });

  test("changed content is rejected, whatever was changed", async () => {
    const { repository, blobs } = createRepository(hasReferrersApi);
    await signImage(repository, subject, { key: key.privateKey, attestations: [provenance], now: NOW });
    const texts = await readTexts(blobs);
    const changes: ((text: string) => string)[] = [
      (text) => text.replace("localhost/shop", "localhost/evil").replace(/"payload":"..../, '"payload":"AAAA'),
      (text) => text.replace("cosign container image signature", "x").replace("in-toto+json", "other+json"),
      () => "not JSON",
      () => "null",
    ];
    for (const change of changes) {
      forge(blobs, change, texts);
      const { signatures, attestations, rejected } = await verify(repository);
      expect({ change: String(change), signatures, attestations }).toEqual({ change: String(change), signatures: [], attestations: [] });
      expect(rejected).toHaveLength(4);
    }
  });

  test("an image without signatures has none, and nothing is rejected", async () => {
    const { repository } = createRepository(hasReferrersApi);
    expect(await verify(repository)).toEqual({ digest: image.digest, signatures: [], attestations: [], rejected: [] });
  });
});
