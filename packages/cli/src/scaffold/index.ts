/**
 * Renders the files of new projects, resources and webhooks, keyed by path, and edits sources that have the scaffolded form. The files
 * belong to the user once written.
 */
export { type Api, apiFileName, controllerVariable, renderApiFiles, resourceVariable } from "./api-files.ts";
export { addController, hasController } from "./controller-source.ts";
export { addConversion } from "./conversion-source.ts";
export { addApi, addToRunList, removeFileImports } from "./entry-file.ts";
export { definesExternalKind } from "./external-kind.ts";
export { GITIGNORE_ENTRIES, listProjectDependencies, type NewProject, PACKAGE_SCRIPTS, renderProjectFiles } from "./project-files.ts";
export { addVersion, findDefinitions, listVersions, type ResourceDefinition } from "./resource-definitions.ts";
export {
  addWebhookHandlers,
  findImportedModule,
  findWebhookHandlers,
  renderWebhookFile,
  type WebhookHandler,
  type WebhookTarget,
} from "./webhook-source.ts";
