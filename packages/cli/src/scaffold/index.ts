/** The files of a new project and of a new resource, as texts by path; all of them belong to the user once written. */
export { type Api, apiFiles, fileOf, variableOf } from "./api.ts";
export { withApi } from "./main-file.ts";
export { type NewProject, projectFiles } from "./project.ts";
