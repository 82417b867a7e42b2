import type { Api } from "./api-files.ts";
import { renderEmptyController } from "./controller-source.ts";

/** Renders a file with a kind that is not defined in the project, and an empty controller for it. */
export function renderExternalKind(api: Api, { plural, module }: NonNullable<Api["external"]>): string {
  const parts = [renderImports(api, module), renderDeclaration(api, plural, module), api.controller ? renderEmptyController(api) : ""];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function renderImports({ kind, controller }: Api, module: string | undefined): string {
  const names = [...(controller ? ["controller"] : []), ...(module === undefined ? ["defineUntypedKind"] : [])];
  return [
    ...(names.length === 0 ? [] : [`import { ${names.join(", ")} } from "pintle";`]),
    ...(module === undefined || !controller ? [] : [`import { ${kind} } from "${module}";`]),
  ].join("\n");
}

function renderDeclaration({ group, version, kind, scope, controller }: Api, plural: string, module: string | undefined): string {
  if (module !== undefined) return controller ? "" : `export { ${kind} } from "${module}";`;
  const facts = `{ group: "${group}", version: "${version}", kind: "${kind}", plural: "${plural}", scope: "${scope}" }`;
  return `/** Defined outside of this project; see \`kubectl explain ${plural}\` for its fields. */\nexport const ${kind} = defineUntypedKind(${facts});`;
}
