import { type Api, apiFileName, controllerVariable, resourceVariable } from "./api-files.ts";
import { findClosingBracket, findInCode } from "./source-scan.ts";

/** Renders `src/main.ts` of a new project. */
export function renderEntryFile(api: Api | undefined): string {
  if (api === undefined) return `import { run } from "pintle";\n\nawait run({ controllers: [] });\n`;
  return `import { run } from "pintle";
import { ${controllerVariable(api)} } from "./${apiFileName(api)}.ts";

await run({ controllers: [${controllerVariable(api)}] });
`;
}

/** Returns the list of `run()` and the imported name for a resource; undefined if nothing of it is run. */
function runListEntry(
  api: Api,
): { readonly list: "controllers" | "resources"; readonly name: string; readonly imported: string } | undefined {
  if (api.controller) return { list: "controllers", name: controllerVariable(api), imported: controllerVariable(api) };
  if (api.external !== undefined) return undefined;
  const name = resourceVariable(api);
  return { list: "resources", name, imported: name === api.kind ? name : `${api.kind} as ${name}` };
}

/** Returns the entry file with another controller or resource; undefined if it does not have the scaffolded form. */
export function addApi(source: string, api: Api): string | undefined {
  const entry = runListEntry(api);
  if (entry === undefined) return source;
  const extended = addListItem(source, entry.list, entry.name);
  return extended === undefined ? undefined : addImport(extended, entry.imported, `./${apiFileName(api)}.ts`);
}

/**
 * Returns the entry file with another item in a list of `run()`, imported from a sibling file; undefined if it does not have the scaffolded
 * form.
 */
export function addToRunList(
  source: string,
  list: "controllers" | "webhooks",
  item: { readonly kind: string; readonly prefix?: string | undefined; readonly file: string; readonly variable?: string },
): string | undefined {
  const name = item.variable ?? controllerVariable(item);
  const extended = addListItem(source, list, name);
  return extended && addImport(extended, name, `./${item.file}.ts`);
}

/** Returns the entry file without the imports and list items of a file; undefined if it uses them elsewhere. */
export function removeFileImports(source: string, file: string): string | undefined {
  const line = new RegExp(`^import \\{([^{}]*)\\} from "\\./${file}\\.ts";\\n`, "m").exec(source);
  if (line === null) return source;
  const names = line[1]!.split(",").map((name) => name.trim().replace(/^.* as /, ""));
  const rest = source.replace(line[0], "");
  const without = names.reduce((text, name) => removeListItem(text, name), rest);
  return names.some((name) => findInCode(without, name).some((at) => !/[\w$]/.test(without[at + name.length] ?? " ")))
    ? undefined
    : without;
}

/** Adds an import: to an existing import from the same module, or after the last import. */
export function addImport(text: string, imported: string, from: string): string | undefined {
  const same = new RegExp(`^import \\{ ([^{}]*[^,{}\\s]),? \\} from "${from.replaceAll(".", "\\.")}";$`, "m").exec(text);
  if (same !== null) {
    const names = [...new Set([...same[1]!.split(/, */), imported])].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
    return text.replace(same[0], `import { ${names.join(", ")} } from "${from}";`);
  }
  const last = [...text.matchAll(/^import .*;$/gm)].at(-1);
  if (last === undefined) return undefined;
  const end = last.index + last[0].length;
  return `${text.slice(0, end)}\nimport { ${imported} } from "${from}";${text.slice(end)}`;
}

/** Adds an item to a list of `run({...})`. A missing list is created after `controllers`. */
function addListItem(source: string, list: string, name: string): string | undefined {
  const there = findList(source, list);
  if (there !== undefined) {
    const items = source.slice(there.from, there.to).trim().replace(/,$/, "");
    return `${source.slice(0, there.from)}${items === "" ? name : `${items}, ${name}`}${source.slice(there.to)}`;
  }
  const controllers = findList(source, "controllers");
  return controllers && `${source.slice(0, controllers.to + 1)}, ${list}: [${name}]${source.slice(controllers.to + 1)}`;
}

function removeListItem(source: string, name: string): string {
  return ["controllers", "resources", "webhooks"].reduce((text, list) => {
    const there = findList(text, list);
    if (there === undefined) return text;
    const items = text.slice(there.from, there.to).split(",");
    const remaining = items.map((item) => item.trim()).filter((item) => item !== "" && item !== name);
    if (remaining.length === items.length) return text;
    // `addListItem` created every other list.
    const added = remaining.length === 0 && list !== "controllers" ? text.lastIndexOf(`, ${list}: [`, there.from) : -1;
    if (added >= 0) return `${text.slice(0, added)}${text.slice(there.to + 1)}`;
    return `${text.slice(0, there.from)}${remaining.join(", ")}${text.slice(there.to)}`;
  }, source);
}

/** Returns the range between the brackets of `list: [...]`. */
function findList(source: string, list: string): { readonly from: number; readonly to: number } | undefined {
  const start = findInCode(source, `${list}: [`)[0];
  const end = start === undefined ? undefined : findClosingBracket(source, start + list.length + 2);
  return end === undefined ? undefined : { from: start! + list.length + 3, to: end - 1 };
}
