import type { ParsedArguments } from "../../command/index.ts";
import { parseImageReference } from "../../image/index.ts";
import type { Project } from "../../project/index.ts";

/** Returns the project with its image replaced by --image, if set. */
export function withImage(project: Project, { image }: ParsedArguments["values"]): Project {
  if (typeof image !== "string") return project;
  parseImageReference(image);
  return { ...project, image };
}
