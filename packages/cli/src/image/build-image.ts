import {
  type Blob,
  createBlob,
  createJsonBlob,
  createTar,
  type Descriptor,
  type Image,
  MEDIA_TYPES,
  type TarEntry,
  toDescriptor,
} from "@pintle/lifecycle/internal/image";
import type { BaseImage } from "./base-image.ts";
import type { BundledProgram } from "./bundle-program.ts";

export interface ImageLabels {
  readonly name: string;
  readonly version: string;
}

/** A fixed timestamp, so that equal inputs produce equal images. */
const CREATED = "1970-01-01T00:00:00Z";
/** A non-root user, as the restricted Pod Security Standard requires. */
const USER = "65532:65532";

/** Builds the operator's image on each base image. Several base images produce an image index. */
export function buildImage(program: BundledProgram, bases: readonly BaseImage[], labels: ImageLabels): Image {
  // Uncompressed, because gzip output differs between Node versions.
  const layers = [program.dependencies, program.code].map((entries) => createBlob(MEDIA_TYPES.layer, createTar(entries)));
  const built = bases.map((base) => buildOnBase(base, layers, labels));
  const manifests = built.map(({ manifest }) => manifest);
  const blobs = [...built.flatMap((each) => [...each.layers, each.config])];
  const [only] = manifests;
  if (manifests.length === 1) return { blobs: uniqueBlobs(blobs), manifests, root: only! };
  const index = createJsonBlob(MEDIA_TYPES.index, {
    schemaVersion: 2,
    mediaType: MEDIA_TYPES.index,
    manifests: built.map(({ manifest }, i): Descriptor => ({ ...toDescriptor(manifest), platform: bases[i]!.platform })),
  });
  return { blobs: uniqueBlobs(blobs), manifests: [...manifests, index], root: index };
}

/** Builds an image of one layer without a base image, for content that is read and never run. Equal entries and labels produce equal bytes. */
export function buildScratchImage(entries: readonly TarEntry[], labels: Readonly<Record<string, string>>): Image {
  const layer = createBlob(MEDIA_TYPES.layer, createTar(entries));
  const config = createJsonBlob(MEDIA_TYPES.config, {
    created: CREATED,
    // Registries and runtimes want a platform; the content is for all.
    os: "linux",
    architecture: "amd64",
    config: { Labels: Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))) },
    rootfs: { type: "layers", diff_ids: [layer.digest] },
    history: [{ created: CREATED, created_by: "pintle bundle" }],
  });
  const manifest = createJsonBlob(MEDIA_TYPES.manifest, {
    schemaVersion: 2,
    mediaType: MEDIA_TYPES.manifest,
    config: toDescriptor(config),
    layers: [toDescriptor(layer)],
  });
  return { blobs: [layer, config], manifests: [manifest], root: manifest };
}

function buildOnBase(base: BaseImage, own: readonly Blob[], { name, version }: ImageLabels) {
  const layers = [...base.layers, ...own];
  const config = createJsonBlob(MEDIA_TYPES.config, {
    created: CREATED,
    ...base.platform,
    config: {
      User: USER,
      Env: [...(base.config.Env ?? []).filter((each) => !each.startsWith("NODE_ENV=")), "NODE_ENV=production"],
      Entrypoint: ["node", "/app/main.js"],
      WorkingDir: "/app",
      Labels: {
        ...base.config.Labels,
        "org.opencontainers.image.base.name": base.name,
        "org.opencontainers.image.title": name,
        "org.opencontainers.image.version": version,
      },
    },
    rootfs: { type: "layers", diff_ids: [...base.diffIds, ...own.map(({ digest }) => digest)] },
    history: [
      ...base.layers.map(() => ({ created: CREATED, created_by: base.name })),
      ...["dependencies", "code"].map((what) => ({ created: CREATED, created_by: `pintle build: ${what}` })),
    ],
  });
  const manifest = createJsonBlob(MEDIA_TYPES.manifest, {
    schemaVersion: 2,
    mediaType: MEDIA_TYPES.manifest,
    config: toDescriptor(config),
    layers: layers.map(toDescriptor),
  });
  return { layers, config, manifest };
}

/** Keeps one blob per digest, preferring one that can be mounted from a repository. */
function uniqueBlobs(blobs: readonly Blob[]): readonly Blob[] {
  return [...new Map([...blobs].sort((a) => (a.mountFrom === undefined ? -1 : 1)).map((each) => [each.digest, each])).values()];
}
