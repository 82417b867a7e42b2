import { type Api, fileOf, resourceOf, variableOf } from "./api.ts";
import { closing, places } from "./source-text.ts";

/** What `src/main.ts` says at first. */
export function mainFile(api: Api | undefined): string {
  if (api === undefined) return `import { run } from "pintle";\n\nawait run({ controllers: [] });\n`;
  return `import { run } from "pintle";
import { ${variableOf(api)} } from "./${fileOf(api)}.ts";

await run({ controllers: [${variableOf(api)}] });
`;
}

/** How an entry file names a resource, and in which list of `run()`; undefined: nothing of it is run. */
function listed(api: Api): { readonly list: "controllers" | "resources"; readonly name: string; readonly imported: string } | undefined {
  if (api.controller) return { list: "controllers", name: variableOf(api), imported: variableOf(api) };
  if (api.foreign !== undefined) return undefined;
  const name = resourceOf(api);
  return { list: "resources", name, imported: name === api.kind ? name : `${api.kind} as ${name}` };
}

/** With one more controller or resource; undefined where the text is not as it was made, so that nothing is guessed. */
export function withApi(main: string, api: Api): string | undefined {
  const entry = listed(api);
  if (entry === undefined) return main;
  const extended = withItem(main, entry.list, entry.name);
  return extended === undefined ? undefined : withImport(extended, entry.imported, `./${fileOf(api)}.ts`);
}

/** With one more item in a list of `run()`, imported from a file beside; undefined where the text is not as it was made. */
export function withListed(
  main: string,
  list: "controllers" | "webhooks",
  item: { readonly kind: string; readonly prefix?: string | undefined; readonly file: string; readonly variable?: string },
): string | undefined {
  const name = item.variable ?? variableOf(item);
  const extended = withItem(main, list, name);
  return extended && withImport(extended, name, `./${item.file}.ts`);
}

/** Without what a file of this name gave it; undefined where the text is not as it was made. */
export function withoutFile(main: string, file: string): string | undefined {
  const line = new RegExp(`^import \\{([^}]*)\\} from "\\./${file}\\.ts";\\n`, "m").exec(main);
  if (line === null) return main;
  const names = line[1]!.split(",").map((name) => name.trim().replace(/^.* as /, ""));
  const rest = main.replace(line[0], "");
  const without = names.reduce((text, name) => withoutItem(text, name), rest);
  return names.some((name) => places(without, name).some((at) => !/[\w$]/.test(without[at + name.length] ?? " "))) ? undefined : without;
}

/** An import: beside others from the same file, or after the last one that is there. */
export function withImport(text: string, imported: string, from: string): string | undefined {
  const same = new RegExp(`^import \\{ ([^}]*[^,}\\s]),? \\} from "${from.replaceAll(".", "\\.")}";$`, "m").exec(text);
  if (same !== null) {
    const names = [...new Set([...same[1]!.split(/, */), imported])].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
    return text.replace(same[0], `import { ${names.join(", ")} } from "${from}";`);
  }
  const last = [...text.matchAll(/^import .*;$/gm)].at(-1);
  if (last === undefined) return undefined;
  const end = last.index + last[0].length;
  return `${text.slice(0, end)}\nimport { ${imported} } from "${from}";${text.slice(end)}`;
}

/** One more item in a list of `run({...})`, which is made beside `controllers` if it is not there. */
function withItem(main: string, list: string, name: string): string | undefined {
  const there = listIn(main, list);
  if (there !== undefined) {
    const items = main.slice(there.from, there.to).trim().replace(/,$/, "");
    return `${main.slice(0, there.from)}${items === "" ? name : `${items}, ${name}`}${main.slice(there.to)}`;
  }
  const controllers = listIn(main, "controllers");
  return controllers && `${main.slice(0, controllers.to + 1)}, ${list}: [${name}]${main.slice(controllers.to + 1)}`;
}

function withoutItem(main: string, name: string): string {
  return ["controllers", "resources", "webhooks"].reduce((text, list) => {
    const there = listIn(text, list);
    if (there === undefined) return text;
    const items = text.slice(there.from, there.to).split(",");
    const kept = items.map((item) => item.trim()).filter((item) => item !== "" && item !== name);
    return kept.length === items.length ? text : `${text.slice(0, there.from)}${kept.join(", ")}${text.slice(there.to)}`;
  }, main);
}

/** Between the brackets of `list: [...]`. */
function listIn(main: string, list: string): { readonly from: number; readonly to: number } | undefined {
  const start = places(main, `${list}: [`)[0];
  const end = start === undefined ? undefined : closing(main, start + list.length + 2);
  return end === undefined ? undefined : { from: start! + list.length + 3, to: end - 1 };
}
