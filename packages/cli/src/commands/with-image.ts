import type { Arguments } from "../command.ts";
import { parseReference } from "../image/index.ts";
import type { Project } from "../project/index.ts";

/** The project with the image that `--image` names, if it does. */
export function withImage(project: Project, { image }: Arguments["values"]): Project {
  if (typeof image !== "string") return project;
  parseReference(image);
  return { ...project, image };
}
