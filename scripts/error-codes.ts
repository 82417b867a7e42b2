/**
 * Checks the registry of error codes (packages/pintle/src/errors/codes.ts) against the source: every code that the source uses is registered, every
 * registered code is used, docs/errors.md lists them all, and no error that a user can meet lacks a code (errors-without-code.ts). `npm run error-codes` is part of `npm run check`; `-- --write` writes docs/errors.md.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { ERROR_CODES } from "../packages/pintle/src/errors/codes.ts";
import { findErrorsWithoutCode, type SourceFile } from "./errors-without-code.ts";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const REGISTRY = "packages/pintle/src/errors/codes.ts";
const PAGE = "docs/errors.md";

/** First digits of a code -> the heading of its section. */
const SECTIONS: readonly (readonly [number, number, string])[] = [
  [1000, 1999, "Client: kubeconfig, credentials, requests"],
  [2000, 2999, "Resources and schemas"],
  [3000, 3999, "Controllers"],
  [4000, 4999, "Manager"],
  [5000, 5999, "Webhooks"],
  [6000, 6999, "Embedded cluster"],
  [7000, 7999, "The pintle command"],
  [8000, 8999, "Bundles and catalogs"],
  [9000, 9999, "Bugs in Pintle"],
];

const problems: string[] = [];
const sources: SourceFile[] = [];
const used = new Map<string, string[]>();
const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", ":(glob)packages/*/src/**"], {
  cwd: root,
  encoding: "utf8",
});
for (const file of files.split("\n").filter((each) => each.endsWith(".ts") && !/\.test(-d)?\.ts$/.test(each) && each !== REGISTRY)) {
  if (!existsSync(path.join(root, file))) continue;
  const text = readFileSync(path.join(root, file), "utf8");
  sources.push({ file, text });
  for (const [code] of text.matchAll(/\bPINTLE\d{4}\b/g)) used.set(code, [...(used.get(code) ?? []), file]);
}
const source = readFileSync(path.join(root, REGISTRY), "utf8");
const registered = [...source.matchAll(/^\s*(PINTLE\d{4}):/gm)].map((match) => match[1] as string);
for (const code of registered.filter((each, index) => registered.indexOf(each) !== index))
  problems.push(`${REGISTRY}: ${code} is registered twice`);
for (const [code, places] of used)
  if (!Object.hasOwn(ERROR_CODES, code)) problems.push(`${places[0]}: ${code} is not registered in ${REGISTRY}`);
for (const [code, title] of Object.entries<string>(ERROR_CODES)) {
  if (!used.has(code) && !title.includes("(retired)"))
    problems.push(`${REGISTRY}: ${code} is not used; remove it, or mark it "(retired)" if it was released`);
}
problems.push(...findErrorsWithoutCode(sources, { checkTables: true }));
const page = errorsPage();
if (process.argv.includes("--write")) writeFileSync(path.join(root, PAGE), page);
else if (!existsSync(path.join(root, PAGE)) || readFileSync(path.join(root, PAGE), "utf8") !== page)
  problems.push(`${PAGE} is out of date. Run: npm run error-codes -- --write`);
for (const problem of problems) console.error(problem);
console.log(`error codes: ${registered.length} registered, ${problems.length} problems`);
process.exitCode = problems.length > 0 ? 1 : 0;

function errorsPage(): string {
  const sections = SECTIONS.flatMap(([from, to, heading]) => {
    const rows = Object.entries<string>(ERROR_CODES)
      .filter(([code]) => Number(code.slice(6)) >= from && Number(code.slice(6)) <= to)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([code, title]) => `| \`${code}\` | ${title} |`);
    return rows.length === 0 ? [] : [`## ${heading}\n\n| code | meaning |\n| --- | --- |\n${rows.join("\n")}\n`];
  });
  return `# Error codes

Every failure that is not a Kubernetes \`Status\` has a stable code. It is the \`code\` of the error, and the \`pintle\` command prints it
after the message. The message names the object and what to do next. Generated from the registry by \`npm run error-codes -- --write\`.

${sections.join("\n")}`;
}
