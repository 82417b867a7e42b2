import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { type Arguments, type Command, CommandError, type Io } from "../command.ts";
import { carryOut, changesOf } from "../files.ts";
import { npmInstall } from "../npm-install.ts";
import { projectFiles } from "../scaffold/index.ts";
import { API_ABOUT, API_OPTIONS, apiOf, domainOf } from "./api-words.ts";
import { ownVersion } from "./version.ts";

const { "no-controller": _, ...FIRST } = API_OPTIONS;

export const init: Command = {
  name: "init",
  summary: "Make a new operator project.",
  usage: "<folder> [--domain DOMAIN] [--kind KIND] [--group GROUP] [--version VERSION] [--scope SCOPE] [--no-api] [--install] [--yes]",
  options: {
    domain: { type: "string" },
    ...FIRST,
    name: { type: "string" },
    "no-api": { type: "boolean" },
    install: { type: "boolean" },
    "no-install": { type: "boolean" },
    yes: { type: "boolean", short: "y" },
  },
  about: {
    domain: "domain of the API group (default: <folder>.example.com)",
    kind: "first resource (default: from the folder's name)",
    group: API_ABOUT.group,
    version: API_ABOUT.version,
    scope: API_ABOUT.scope,
    "cluster-scoped": API_ABOUT["cluster-scoped"],
    name: "name of the project (default: the folder's)",
    "no-api": "without a first resource: pintle create api adds one later",
    install: "also install its dependencies (npm create does)",
    "no-install": "do not, with npm create",
    yes: "take the defaults, ask nothing",
  },
  examples: [
    "pintle init shop --domain shop.example.com --kind Storefront",
    "pintle init . --no-api --yes",
    "npm create pintle@latest shop",
  ],
  words: 1,
  async run(args, io) {
    const [folder] = args.positionals;
    if (folder === undefined) throw new CommandError("pintle init: say one folder: pintle init my-operator", 2);
    const target = path.resolve(io.cwd, folder);
    const name = String(args.values["name"] ?? path.basename(target).toLowerCase());
    if (!/^[a-z0-9][-a-z0-9]*$/.test(name)) {
      throw new CommandError(`pintle init: "${name}" cannot name a package: use lower-case letters, digits and dashes`, 2);
    }
    if (existsSync(target) && readdirSync(target).length > 0) {
      throw new CommandError(`pintle init: ${folder} exists and is not empty: choose another folder, nothing was written`);
    }
    const answers = await asked(args, name, io);
    const domain = domainOf("init", String(answers.values["domain"]));
    const api = args.values["no-api"] === true ? undefined : apiOf("init", answers, domain);
    const files = projectFiles({ name, domain, api, pintle: ownVersion() });
    carryOut(target, changesOf(target, files));
    io.out(`${files.size} files in ${folder}\n`);
    const isInstalled = args.values["install"] === true && args.values["no-install"] !== true;
    if (isInstalled) io.out(`dependencies installed, ${(await npmInstall(target, folder, io)).toFixed(0)} s\n`);
    const next = api === undefined ? "npx pintle create api --kind KIND" : "npm run dev";
    io.out(`\n  ${[...(folder === "." ? [] : [`cd ${folder}`]), ...(isInstalled ? [] : ["npm install"]), next].join(" && ")}\n`);
  },
};

/** What was not said is asked where somebody can answer, else the default is taken. */
async function asked({ values, positionals }: Arguments, name: string, io: Io): Promise<Arguments> {
  const ask = values["yes"] === true ? undefined : io.ask;
  const answer = async (option: string, question: string, otherwise: string) => {
    if (values[option] !== undefined) return values[option];
    const said = (await ask?.(`${question} (${otherwise}) `))?.trim();
    return said === undefined || said === "" ? otherwise : said;
  };
  const domain = await answer("domain", "Domain of your API group?", `${name}.example.com`);
  if (values["no-api"] === true) return { values: { ...values, domain }, positionals };
  const kind = await answer("kind", "First resource (Kind)?", kindFrom(name));
  return { values: { ...values, domain, kind }, positionals };
}

function kindFrom(name: string): string {
  const words = name
    .replace(/-?operator$/, "")
    .split("-")
    .filter(Boolean);
  return words.map((w) => w[0]?.toUpperCase() + w.slice(1)).join("") || "Example";
}
