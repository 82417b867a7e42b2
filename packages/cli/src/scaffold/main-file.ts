import { type Api, fileOf, variableOf } from "./api.ts";

/** What `src/main.ts` says at first. */
export function mainFile(api: Api): string {
  return `import { run } from "pintle";
import { ${variableOf(api)} } from "./${fileOf(api)}.ts";

await run({ controllers: [${variableOf(api)}] });
`;
}

/** With one more controller or resource; undefined where the text is not as it was made, so that nothing is guessed. */
export function withApi(main: string, api: Api): string | undefined {
  const [list, name] = api.controller ? (["controllers", variableOf(api)] as const) : (["resources", api.kind] as const);
  const listed = extended(main, list, name);
  if (listed === undefined) return undefined;
  const imports = [...listed.matchAll(/^import .*;$/gm)].at(-1);
  if (imports === undefined) return undefined;
  const end = imports.index + imports[0].length;
  return `${listed.slice(0, end)}\nimport { ${name} } from "./${fileOf(api)}.ts";${listed.slice(end)}`;
}

function extended(main: string, list: string, name: string): string | undefined {
  const there = new RegExp(`\\b${list}: \\[([^\\]]*)\\]`).exec(main);
  if (there !== null) {
    const items = there[1]!.trim().replace(/,$/, "");
    return main.replace(there[0], `${list}: [${items === "" ? name : `${items}, ${name}`}]`);
  }
  // `resources` comes beside `controllers`.
  const controllers = /\bcontrollers: \[[^\]]*\]/.exec(main);
  return controllers === null ? undefined : main.replace(controllers[0], `${controllers[0]}, ${list}: [${name}]`);
}
