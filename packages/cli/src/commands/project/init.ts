import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { type Command, CommandError, type Io, type ParsedArguments } from "../../command/index.ts";
import { npmInstall } from "../../process/index.ts";
import { diffFiles, writeChanges } from "../../project/index.ts";
import { renderProjectFiles } from "../../scaffold/index.ts";
import { cliVersion } from "../version.ts";
import { API_DESCRIPTIONS, API_OPTIONS, parseApi, parseDomain } from "./api-options.ts";

const { "no-controller": _, ...FIRST_API_OPTIONS } = API_OPTIONS;

export const init: Command = {
  name: "init",
  summary: "Create a new operator project.",
  usage: "<folder> [--domain DOMAIN] [--kind KIND] [--group GROUP] [--version VERSION] [--scope SCOPE] [--no-api] [--install] [--yes]",
  options: {
    domain: { type: "string" },
    ...FIRST_API_OPTIONS,
    name: { type: "string" },
    "no-api": { type: "boolean" },
    install: { type: "boolean" },
    "no-install": { type: "boolean" },
    yes: { type: "boolean", short: "y" },
  },
  optionDescriptions: {
    domain: "domain of the API group (default: <folder>.example.com)",
    kind: "kind of the first resource (default: derived from the folder name)",
    group: API_DESCRIPTIONS.group,
    version: API_DESCRIPTIONS.version,
    scope: API_DESCRIPTIONS.scope,
    "cluster-scoped": API_DESCRIPTIONS["cluster-scoped"],
    name: "name of the project (default: the folder name)",
    "no-api": "do not create a resource; add one later with 'pintle create api'",
    install: "run npm install (default with npm create)",
    "no-install": "do not run npm install with npm create",
    yes: "use defaults instead of prompting",
  },
  examples: [
    "pintle init shop --domain shop.example.com --kind Storefront",
    "pintle init . --no-api --yes",
    "npm create pintle@latest shop",
  ],
  maxPositionals: 1,
  async run(args, io) {
    const [folder] = args.positionals;
    if (folder === undefined) throw new CommandError("PINTLE7004", "missing folder argument, for example: pintle init my-operator", 2);
    const target = path.resolve(io.cwd, folder);
    const name = String(args.values["name"] ?? path.basename(target).toLowerCase());
    if (!/^[a-z0-9][-a-z0-9]*$/.test(name)) {
      throw new CommandError("PINTLE7032", `invalid project name "${name}": use lower-case letters, digits and dashes`, 2);
    }
    if (existsSync(target) && readdirSync(target).length > 0) {
      throw new CommandError("PINTLE7030", `${folder} exists and is not empty: choose another folder. Nothing was written`);
    }
    const answers = await promptForMissing(args, name, io);
    const domain = parseDomain(String(answers.values["domain"]));
    const api = args.values["no-api"] === true ? undefined : parseApi(answers, domain);
    const files = renderProjectFiles({ name, domain, api, pintleVersion: cliVersion() });
    writeChanges(target, diffFiles(target, files));
    io.out(`created ${files.size} files in ${folder}\n`);
    const isInstalled = args.values["install"] === true && args.values["no-install"] !== true;
    if (isInstalled) io.out(`installed dependencies in ${(await npmInstall(target, folder, io)).toFixed(0)}s\n`);
    const next = api === undefined ? "npx pintle create api --kind KIND" : "npm run dev";
    io.out(`\n  ${[...(folder === "." ? [] : [`cd ${folder}`]), ...(isInstalled ? [] : ["npm install"]), next].join(" && ")}\n`);
  },
};

/** Prompts for missing options on an interactive terminal; otherwise uses the defaults. */
async function promptForMissing({ values, positionals }: ParsedArguments, name: string, io: Io): Promise<ParsedArguments> {
  const ask = values["yes"] === true ? undefined : io.prompt;
  const optionOrAnswer = async (option: string, question: string, otherwise: string) => {
    if (values[option] !== undefined) return values[option];
    const answer = (await ask?.(`${question} (${otherwise}) `))?.trim();
    return answer === undefined || answer === "" ? otherwise : answer;
  };
  const domain = await optionOrAnswer("domain", "Domain of the API group?", `${name}.example.com`);
  if (values["no-api"] === true) return { values: { ...values, domain }, positionals };
  const kind = await optionOrAnswer("kind", "Kind of the first resource?", kindFromName(name));
  return { values: { ...values, domain, kind }, positionals };
}

function kindFromName(name: string): string {
  const words = name
    .replace(/-?operator$/, "")
    .split("-")
    .filter(Boolean);
  return words.map((w) => w[0]?.toUpperCase() + w.slice(1)).join("") || "Example";
}
