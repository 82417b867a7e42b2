import { type Io, withProgress } from "../../command/index.ts";
import { openRepository, parseImageReference } from "../../image/index.ts";
import type { Project } from "../../project/index.ts";

/** The images that a bundle of the project names by a tag. */
export function listMutableImages({ image, config }: Project): readonly string[] {
  return [image, ...Object.values(config.olm?.relatedImages ?? {})].filter((each) => !each.includes("@sha256:"));
}

/** Replaces the tags of the operator's image and of its related images by the digests that they have in their registries now. */
export async function withDigests(project: Project, insecure: boolean, io: Io): Promise<Project> {
  const digests = new Map<string, string>();
  for (const image of listMutableImages(project)) {
    const reference = parseImageReference(image);
    const repository = openRepository(reference, { insecure, signal: io.signal });
    const { digest } = await withProgress(io, `resolving ${image}`, repository.manifest(reference.reference));
    digests.set(image, `${image.replace(/:[^:/]*$/, "")}@${digest}`);
  }
  const resolve = (image: string) => digests.get(image) ?? image;
  const { olm } = project.config;
  const related = Object.fromEntries(Object.entries(olm?.relatedImages ?? {}).map(([name, image]) => [name, resolve(image)]));
  return {
    ...project,
    image: resolve(project.image),
    config: olm === undefined ? project.config : { ...project.config, olm: { ...olm, relatedImages: related } },
  };
}
