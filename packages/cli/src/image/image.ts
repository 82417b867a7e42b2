import type { Base } from "./base.ts";
import { type Blob, blob, type Descriptor, descriptor, jsonBlob, MEDIA } from "./blob.ts";
import type { Program } from "./program.ts";
import { tar } from "./tar.ts";

/** Everything that has to be somewhere for an image to be there; the manifests come after what they name. */
export interface Image {
  readonly blobs: readonly Blob[];
  readonly manifests: readonly Blob[];
  /** The last manifest: what a tag points at. */
  readonly root: Blob;
}

export interface Facts {
  readonly name: string;
  readonly version: string;
}

/** Without a clock: the same inputs are the same image. */
const CREATED = "1970-01-01T00:00:00Z";
/** Nobody in particular, as restricted clusters ask for. */
const USER = "65532:65532";

/** The operator on each base; more than one become an index. */
export function image(program: Program, bases: readonly Base[], facts: Facts): Image {
  // Uncompressed: compressors of different Node versions do not give the same bytes.
  const layers = [program.dependencies, program.code].map((entries) => blob(MEDIA.layer, tar(entries)));
  const built = bases.map((base) => onBase(base, layers, facts));
  const manifests = built.map(({ manifest }) => manifest);
  const blobs = [...built.flatMap((each) => [...each.layers, each.config])];
  const [only] = manifests;
  if (manifests.length === 1) return { blobs: unique(blobs), manifests, root: only! };
  const index = jsonBlob(MEDIA.index, {
    schemaVersion: 2,
    mediaType: MEDIA.index,
    manifests: built.map(({ manifest }, i): Descriptor => ({ ...descriptor(manifest), platform: bases[i]!.platform })),
  });
  return { blobs: unique(blobs), manifests: [...manifests, index], root: index };
}

function onBase(base: Base, own: readonly Blob[], { name, version }: Facts) {
  const layers = [...base.layers, ...own];
  const config = jsonBlob(MEDIA.config, {
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
  const manifest = jsonBlob(MEDIA.manifest, {
    schemaVersion: 2,
    mediaType: MEDIA.manifest,
    config: descriptor(config),
    layers: layers.map(descriptor),
  });
  return { layers, config, manifest };
}

/** A blob that some registry holds already counts before the same one made here. */
function unique(blobs: readonly Blob[]): readonly Blob[] {
  return [...new Map([...blobs].sort((a) => (a.from === undefined ? -1 : 1)).map((each) => [each.digest, each])).values()];
}
