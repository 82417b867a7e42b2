/**
 * Updates a project to this version of Pintle: its dependencies and settings, and the names of renamed symbols in its sources. Input: the
 * project's files. Output: the new contents, a list of the changes, and a list of what the user must decide. Writes nothing.
 */
export { type ProjectUpgrade, planUpgrade } from "./project-settings.ts";
export { type RewrittenProject, rewriteProject } from "./rewrite-project.ts";
