import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Command, CommandError } from "../command.ts";
import { projectFiles } from "../scaffold/index.ts";
import { ownVersion } from "./version.ts";

const DNS = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

export const init: Command = {
  name: "init",
  summary: "Make a new operator project.",
  usage: "<folder> [--domain DOMAIN] [--kind KIND]",
  options: { domain: { type: "string" }, kind: { type: "string" } },
  about: { domain: "domain of the API group (default: <folder>.example.com)", kind: "first resource (default: from the folder's name)" },
  examples: ["pintle init shop --domain shop.example.com --kind Storefront", "npm create pintle@latest shop"],
  async run({ values, positionals }, io) {
    const [folder, more] = positionals;
    if (folder === undefined || more !== undefined) throw new CommandError("pintle init: say one folder: pintle init my-operator", 2);
    const name = path.basename(path.resolve(io.cwd, folder)).toLowerCase();
    if (!/^[a-z0-9][-a-z0-9]*$/.test(name)) {
      throw new CommandError(`pintle init: "${name}" cannot name a package: use lower-case letters, digits and dashes`, 2);
    }
    const domain = String(values["domain"] ?? `${name}.example.com`);
    if (!DNS.test(domain) || !domain.includes(".")) {
      throw new CommandError(`pintle init: --domain ${domain} is not a DNS name with a dot, such as shop.example.com`, 2);
    }
    const kind = String(values["kind"] ?? kindFrom(name));
    if (!/^[A-Z][A-Za-z0-9]*$/.test(kind)) {
      throw new CommandError(
        `pintle init: --kind ${kind} is not a Kind: start with a capital and use letters and digits, such as Storefront`,
        2,
      );
    }
    const target = path.resolve(io.cwd, folder);
    if (existsSync(target) && readdirSync(target).length > 0) {
      throw new CommandError(`pintle init: ${folder} exists and is not empty: choose another folder, nothing was written`);
    }
    const files = projectFiles({ name, domain, kind, pintle: ownVersion() });
    for (const [file, text] of files) {
      mkdirSync(path.dirname(path.join(target, file)), { recursive: true });
      writeFileSync(path.join(target, file), text);
    }
    io.out(`${files.size} files in ${folder}\n\n  cd ${folder} && npm install && npm test\n`);
  },
};

function kindFrom(name: string): string {
  const words = name
    .replace(/-?operator$/, "")
    .split("-")
    .filter(Boolean);
  return words.map((w) => w[0]?.toUpperCase() + w.slice(1)).join("") || "Example";
}
