/** The files of a new project and of a new resource, as texts by path; all of them belong to the user once written. */
export { type Api, apiFiles, fileOf, resourceOf, variableOf } from "./api.ts";
export { hasController, withController } from "./controller-text.ts";
export { withConversion } from "./conversion-text.ts";
export { type Definition, definitions, versionsOf, withVersion } from "./definitions.ts";
export { withApi, withListed, withoutFile } from "./main-file.ts";
export { type NewProject, projectFiles } from "./project.ts";
export { type Upgrade, upgraded } from "./upgraded.ts";
export { type Say, saysOf, type WebhookApi, webhookFile, withSays } from "./webhook-text.ts";
