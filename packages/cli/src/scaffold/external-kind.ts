import type { Api } from "./api-files.ts";
import { renderEmptyController } from "./controller-source.ts";
import { findInCode } from "./source-scan.ts";

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

/** Reports whether the source has the form of `renderExternalKind` for the kind; `group` is compared if the source names one. */
export function definesExternalKind(text: string, kind: string, group: string | undefined): boolean {
  const [untyped] = findInCode(text, "defineUntypedKind({").map((at) => text.slice(at, text.indexOf("})", at)));
  if (untyped !== undefined) return untyped.includes(`kind: "${kind}"`) && (group === undefined || untyped.includes(`group: "${group}"`));
  const [, builtInGroup] = new RegExp(`^(?:import|export) \\{ ${kind} \\} from "pintle/kinds/([^/"]+)/`, "m").exec(text) ?? [];
  return builtInGroup !== undefined && (group === undefined || group.split(".")[0] === builtInGroup);
}
