import type { Api } from "./api.ts";
import { looker } from "./controller-text.ts";

/** A kind of somebody else, and a controller of it that only looks. */
export function foreignFile(api: Api, { plural, module }: NonNullable<Api["foreign"]>): string {
  const parts = [imports(api, module), declaration(api, plural, module), api.controller ? looker(api) : ""];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function imports({ kind, controller }: Api, module: string | undefined): string {
  const names = [...(controller ? ["controller"] : []), ...(module === undefined ? ["foreign"] : [])];
  return [
    ...(names.length === 0 ? [] : [`import { ${names.join(", ")} } from "pintle";`]),
    ...(module === undefined || !controller ? [] : [`import { ${kind} } from "${module}";`]),
  ].join("\n");
}

function declaration({ group, version, kind, scope, controller }: Api, plural: string, module: string | undefined): string {
  if (module !== undefined) return controller ? "" : `export { ${kind} } from "${module}";`;
  const facts = `{ group: "${group}", version: "${version}", kind: "${kind}", plural: "${plural}", scope: "${scope}" }`;
  return `/** Defined by somebody else: \`kubectl explain ${plural}\` tells its fields. */\nexport const ${kind} = foreign(${facts});`;
}
