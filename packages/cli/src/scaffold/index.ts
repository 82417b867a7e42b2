/** The files of a new project: answers in, paths and texts out. Writing them is the init command's business. */
export { type Project, projectFiles } from "./project.ts";
