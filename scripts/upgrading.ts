/** `npm run upgrading`: writes the tables of docs/upgrading.md from the table that `pintle upgrade` rewrites projects with. */
import { readFileSync, writeFileSync } from "node:fs";
import {
  type MemberNames,
  REMOVED_NAMES,
  RENAMED_MEMBERS,
  RENAMED_MEMBERS_BY_TYPE,
  RENAMED_METHODS,
  RENAMED_OBJECT_MEMBERS,
  RENAMED_OPTIONS,
  RENAMED_RESULT_MEMBERS,
  RENAMED_SYMBOLS,
  resolveSymbol,
} from "../packages/cli/src/upgrade/renamed-symbols.ts";

const BEGIN = "<!-- written by scripts/upgrading.ts from here on -->";
const file = new URL("../docs/upgrading.md", import.meta.url);

/** Renders the page: its hand-written beginning and the generated tables. */
export function renderUpgradingPage(text: string): string {
  const [head] = text.split(BEGIN);
  const symbols = Object.entries(RENAMED_SYMBOLS).map(([module, names]) => {
    const rows = Object.keys(names).flatMap((name) => {
      const target = resolveSymbol(module, name);
      const where = target.module === module ? "" : ` from \`${target.module}\``;
      return target.name === name && where === "" ? [] : [`| \`${name}\` | \`${target.name}\`${where} |`];
    });
    return `### ${module}\n\n| old | new |\n| --- | --- |\n${rows.join("\n")}\n`;
  });
  const rowsOf = (table: Readonly<Record<string, MemberNames>>, format: (owner: string, name: string) => string) =>
    Object.entries(table).flatMap(([owner, names]) =>
      Object.entries(names).map(([name, target]) => `| \`${format(owner, name)}\` | \`${target}\` |`),
    );
  const rewritten = [
    ...rowsOf(RENAMED_METHODS, (receiver, name) => `${receiver}.${name}()`),
    ...rowsOf(RENAMED_OBJECT_MEMBERS, (object, name) => `${object}.${name}`),
    ...rowsOf(RENAMED_RESULT_MEMBERS, (factory, name) => `${factory}().${name}`),
    ...rowsOf(RENAMED_OPTIONS, (owner, name) => (owner.endsWith(":") ? `${owner} { ${name} }` : owner.replace("()", `({ ${name} })`))),
  ];
  const listed = Object.entries(RENAMED_MEMBERS).map(([name, target]) => `| \`${name}\` | ${target.replace(/^\w+/, "`$&`")} |`);
  const others = rowsOf(RENAMED_MEMBERS_BY_TYPE, (type, name) => `${name}\` of \`${type}`);
  const removed = Object.entries(REMOVED_NAMES).flatMap(([module, rows]) =>
    rows.map(([names, instead]) => `| \`${module}\` | ${names.replace(/\w+/g, "`$&`")} | ${instead} |`),
  );
  const table = (rows: readonly string[]) => `| old | new |\n| --- | --- |\n${rows.join("\n")}\n`;
  return [
    `${head}${BEGIN}`,
    `## Renamed and moved symbols\n\n${symbols.join("\n")}`,
    `## Renamed members\n\nRewritten by \`pintle upgrade\`, where the receiver, the function or the option can be recognized:\n\n${table(rewritten)}`,
    `Listed by \`pintle upgrade\` with their line, because the receiver is not known without types:\n\n${table(listed)}`,
    `Reported by the compiler after the upgrade:\n\n${table(others)}`,
    `## Removed names\n\n| entry point | names | instead |\n| --- | --- | --- |\n${removed.join("\n")}\n`,
  ].join("\n");
}

if (process.argv[1] === import.meta.filename) writeFileSync(file, renderUpgradingPage(readFileSync(file, "utf8")));
