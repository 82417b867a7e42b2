import { type Image, openRepository, parseImageReference, pushImage } from "@pintle/lifecycle/internal/image";
import { buildScratchImage } from "../../packages/cli/src/image/index.ts";

/** A small bundle that is made for tests. */
export interface MadeBundle {
  readonly packageName?: string;
  readonly version: string;
  readonly release?: string;
  /** Build metadata of the version is then its release. */
  readonly substitutesFor?: string;
  readonly name?: string;
  readonly related?: readonly string[];
}

/** The files of a bundle by their path. */
export function makeBundleFiles({
  packageName = "op",
  version,
  release,
  substitutesFor,
  name,
  related = [],
}: MadeBundle): Readonly<Record<string, string>> {
  const csv = {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: {
      name: name ?? `${packageName}.v${version}${release === undefined ? "" : `-${release}`}`,
      annotations: { capabilities: "Basic Install", ...(substitutesFor === undefined ? {} : { "olm.substitutesFor": substitutesFor }) },
    },
    spec: {
      displayName: "Op <&>",
      description: `Version ${version}`,
      version,
      ...(release === undefined ? {} : { release }),
      icon: [{ base64data: "PHN2Zy8+", mediatype: "image/svg+xml" }],
      installModes: [{ type: "AllNamespaces", supported: true }],
      install: { strategy: "deployment", spec: { deployments: [] } },
      relatedImages: related.map((image, i) => ({ name: `r${i}`, image })),
    },
  };
  const annotations = {
    "operators.operatorframework.io.bundle.mediatype.v1": "registry+v1",
    "operators.operatorframework.io.bundle.manifests.v1": "manifests/",
    "operators.operatorframework.io.bundle.metadata.v1": "metadata/",
    "operators.operatorframework.io.bundle.package.v1": packageName,
    "operators.operatorframework.io.bundle.channels.v1": "stable",
    "operators.operatorframework.io.bundle.channel.default.v1": "stable",
  };
  return { "manifests/csv.json": JSON.stringify(csv), "metadata/annotations.yaml": JSON.stringify({ annotations }) };
}

/** Builds the image of a bundle. */
export function makeBundleImage(bundle: MadeBundle): Image {
  const files = makeBundleFiles(bundle);
  const { annotations } = JSON.parse(files["metadata/annotations.yaml"]!) as { annotations: Record<string, string> };
  const entries = Object.entries(files).map(([path, text]) => ({ path, mode: 0o644, data: Buffer.from(text) }));
  return buildScratchImage(entries, annotations);
}

/** Pushes an image to a registry without TLS. */
export async function push(image: Image, reference: string): Promise<void> {
  const at = parseImageReference(reference);
  await pushImage(openRepository(at, { insecure: true, signal: AbortSignal.timeout(60_000) }), image, at.reference);
}
