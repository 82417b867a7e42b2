/**
 * docs/defaults.md: the defaults of run(), startManager() and controller(), from the object that the code uses.
 * `npm run defaults` writes it; defaults.test.ts checks it and what doc comments and pages say about defaults.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { DEFAULTS } from "../packages/pintle/src/manager/defaults.ts";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const SOURCE = "packages/pintle/src/manager/defaults.ts";
export const PAGE = "docs/defaults.md";

/** Where each default can be overridden. */
const OPTIONS: Readonly<Record<keyof typeof DEFAULTS, string>> = {
  concurrency: "`concurrency` of the manager or of a controller",
  syncTimeout: "`syncTimeout`",
  grace: "`grace`",
  daemonGrace: "`daemonGrace` of a controller",
  timeout: "`timeout` of a controller",
  bugs: "`bugs`",
  logLevel: "`level` of `createLogger()`",
  healthAddress: "`health`; `--health-probe-bind-address`",
  metricsAddress: "`metrics`; `--metrics-bind-address`",
  webhookAddress: "`webhookServer.address`; `--webhook-bind-address`",
  leaseDuration: "`leaderElection.leaseDuration`",
  renewDeadline: "`leaderElection.renewDeadline`",
  retryPeriod: "`leaderElection.retryPeriod`",
  stallTimeout: "`leaderElection.stallTimeout`",
};

/** The doc comment of every default. */
function descriptions(): ReadonlyMap<string, string> {
  const source = readFileSync(path.join(root, SOURCE), "utf8");
  return new Map([...source.matchAll(/\/\*\* (.+) \*\/\n {2}(\w+):/g)].map((match) => [match[2] as string, match[1] as string]));
}

export function defaultsPage(): string {
  const described = descriptions();
  const rows = Object.entries(DEFAULTS).map(
    ([name, value]) =>
      `| \`${name}\` | \`${JSON.stringify(value)}\` | ${OPTIONS[name as keyof typeof DEFAULTS]} | ${described.get(name)} |`,
  );
  return `# Defaults

The defaults of \`run()\`, \`startManager()\` and \`controller()\`, exported as \`DEFAULTS\` of \`pintle\`. Generated from the code by \`npm run defaults\`.

| name | default | set by | meaning |
| --- | --- | --- | --- |
${rows.join("\n")}
`;
}

/** Mentions such as \`DEFAULTS.concurrency\` (32) in doc comments and pages whose value is not the default. */
export function wrongMentions(): string[] {
  const globs = ["packages/*/src/**.ts", "docs/**.md", "*.md", "packages/*/*.md"].map((glob) => `:(glob)${glob}`);
  const files = execFileSync("git", ["ls-files", ...globs], { cwd: root, encoding: "utf8" })
    .split("\n")
    .filter(Boolean);
  return files.flatMap((file) =>
    [...readFileSync(path.join(root, file), "utf8").matchAll(/`DEFAULTS\.(\w+)`(?:\s+\*?\s*)?\(([^)]*)\)/g)]
      .filter(([, name = "", value]) => value !== JSON.stringify((DEFAULTS as Readonly<Record<string, unknown>>)[name]))
      .map(([mention]) => `${file}: ${mention}`),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(path.join(root, PAGE), defaultsPage());
