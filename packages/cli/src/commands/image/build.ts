import path from "node:path";
import { type Command, OUTPUT_DESCRIPTION, OUTPUT_OPTION, outputFormatter, withProgress } from "../../command/index.ts";
import { buildImage, bundleProgram, formatPlatform, parseImageReference, renderDockerfile, writeLayout } from "../../image/index.ts";
import { findProject } from "../../project/index.ts";
import { EVIDENCE_DESCRIPTIONS, EVIDENCE_OPTIONS, listProgramComponents, readEvidenceChoice } from "../../supply-chain/index.ts";
import { BASE_IMAGE_OPTIONS, fetchBaseImages, PLATFORM_DESCRIPTION, publishImage } from "./publish-image.ts";

export const IMAGE_LAYOUT_FOLDER = "dist/image";

export const build: Command = {
  name: "build",
  summary: "Build the operator's container image without Docker.",
  usage: "[IMAGE] [--base BASE] [--platform P[,P]] [--push] [--sign] [--sbom] [--insecure-registry] [--output json|yaml] | --dockerfile",
  options: {
    ...BASE_IMAGE_OPTIONS,
    push: { type: "boolean" },
    dockerfile: { type: "boolean" },
    ...EVIDENCE_OPTIONS,
    "insecure-registry": { type: "boolean" },
    ...OUTPUT_OPTION,
  },
  optionDescriptions: {
    base: "base image: an image in a registry, a folder with an OCI layout, or 'rootfs:FOLDER' (default: the Node installation of this machine)",
    platform: PLATFORM_DESCRIPTION,
    dockerfile: "print a Dockerfile instead of building",
    push: "push the image to the registry of IMAGE",
    ...EVIDENCE_DESCRIPTIONS,
    "insecure-registry": "use plain HTTP for the registry of IMAGE, and for a base image there or on this machine",
    ...OUTPUT_DESCRIPTION,
  },
  examples: [
    "pintle build",
    "pintle build ghcr.io/me/shop:1.0.0 --base docker.io/library/node:22-slim --push",
    "pintle build ghcr.io/me/shop:1.0.0 --push --sign --sbom --provenance",
    "pintle build --base rootfs:./debian-with-node",
    "pintle build --dockerfile > Dockerfile",
    "pintle build localhost:5000/shop:dev --push --insecure-registry",
  ],
  maxPositionals: 1,
  async run(args, io) {
    const { values, positionals } = args;
    const output = outputFormatter(args);
    const project = await findProject(io.cwd);
    if (values["dockerfile"] === true) return io.out(renderDockerfile(project));
    const name = positionals[0] ?? project.image;
    const reference = parseImageReference(name);
    const startedAt = performance.now();
    const startedOn = new Date();
    const choice = await readEvidenceChoice(values, io.cwd);
    const baseImages = await fetchBaseImages(values, reference, io);
    io.signal.throwIfAborted();
    const code = await withProgress(io, `bundling ${project.entry}`, bundleProgram(project));
    const built = buildImage(code, baseImages, project);
    // The last moment at which an interruption leaves the previous image as it is.
    io.signal.throwIfAborted();
    await writeLayout(path.join(project.root, IMAGE_LAYOUT_FOLDER), built, reference.reference);
    const size = (entries: typeof code.code) => entries.reduce((sum, { data }) => sum + (data?.length ?? 0), 0);
    const summary = {
      image: name,
      digest: built.root.digest,
      platforms: baseImages.map(({ platform }) => formatPlatform(platform)),
      base: baseImages.flatMap(({ layers }) => layers).reduce((sum, layer) => sum + layer.size, 0),
      dependencies: size(code.dependencies),
      code: size(code.code),
      layout: IMAGE_LAYOUT_FOLDER,
    };
    const describe = () => ({
      version: project.version,
      components: listProgramComponents(code.packages, [...new Set(baseImages.map((base) => base.name))]),
      build: {
        command: "pintle build",
        parameters: { image: name, platforms: summary.platforms, entry: project.entry },
        root: project.root,
        startedAt: startedOn,
      },
    });
    const { sent, attached, report } = await publishImage(
      { name, reference, image: built, evidence: choice && { choice, describe } },
      values,
      io,
    );
    if (output !== undefined) return io.out(output({ ...summary, ...report }));
    const took = ((performance.now() - startedAt) / 1000).toFixed(1);
    io.out(
      `${name}  ${summary.digest}\n  ${summary.platforms.join(", ")}: base ${formatBytes(summary.base)}, dependencies ${formatBytes(summary.dependencies)}, code ${formatBytes(summary.code)}, ${took} s\n`,
    );
    io.out(
      sent === undefined
        ? `  saved to ${IMAGE_LAYOUT_FOLDER}; push it with 'pintle push ${name}'\n`
        : `  pushed, ${formatBytes(sent)} sent\n`,
    );
    for (const each of attached) io.out(`  attached ${each}\n`);
  },
};

export function formatBytes(count: number): string {
  if (count < 1000) return `${count} B`;
  return count < 1_000_000 ? `${Math.round(count / 1000)} KB` : `${(count / 1_000_000).toFixed(1)} MB`;
}
