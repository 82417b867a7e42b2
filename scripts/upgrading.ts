/** `npm run upgrading`: writes the tables of docs/upgrading.md from the table that `pintle upgrade` rewrites projects with. */
import { readFileSync, writeFileSync } from "node:fs";
import { RENAMED_MEMBERS, RENAMED_METHODS, RENAMED_SYMBOLS, resolveSymbol } from "../packages/cli/src/upgrade/renamed-symbols.ts";

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
  const methods = Object.entries(RENAMED_METHODS).flatMap(([receiver, names]) =>
    Object.entries(names).map(([name, target]) => `| \`${receiver}.${name}()\` | \`${receiver}.${target}()\` |`),
  );
  const members = Object.entries(RENAMED_MEMBERS).map(([name, target]) => `| \`${name}\` | ${target} |`);
  return [
    `${head}${BEGIN}`,
    `## Renamed and moved symbols\n\n${symbols.join("\n")}`,
    `## Renamed members\n\n\`pintle upgrade\` rewrites methods whose receiver it recognizes, and lists uses of the other members.\n\n| old | new |\n| --- | --- |\n${[...methods, ...members].join("\n")}\n`,
  ].join("\n\n");
}

if (process.argv[1] === import.meta.filename) writeFileSync(file, renderUpgradingPage(readFileSync(file, "utf8")));
