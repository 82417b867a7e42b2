import { readFileSync } from "node:fs";
import path from "node:path";
import type { Json, JsonObject } from "pintle/kinds";
import { type Arguments, type Command, CommandError, type Io } from "../command.ts";
import { deployed, installOrder, manifests, readYaml } from "../manifests/index.ts";
import { OUTPUT_ABOUT, OUTPUT_OPTION, outputOf } from "../output.ts";
import { describe, findProject, type Project } from "../project/index.ts";
import { difference, type FieldChange, nameOf, REACH_ABOUT, REACH_OPTIONS, reach } from "../reach/index.ts";
import { withImage } from "./with-image.ts";

const { yes: _, ...WHERE } = REACH_OPTIONS;
const { yes: __, ...WHERE_ABOUT } = REACH_ABOUT;

export const diff: Command = {
  name: "diff",
  summary: "Show what deploy would change, or what applying files would: nothing is written.",
  usage: "[FILE...] [--image IMAGE] [--context NAME] [--kubeconfig FILE] [--output json|yaml]",
  options: { image: { type: "string" }, ...WHERE, ...OUTPUT_OPTION },
  about: { image: "image of the operator (default: <name>:<version>)", ...WHERE_ABOUT, ...OUTPUT_ABOUT },
  examples: [
    "pintle diff --image ghcr.io/me/shop:1.1.0 --context prod",
    "pintle diff config/samples/store.yaml",
    "pintle diff; echo $?                       (0: nothing would change, 1: something would, 2: it could not be told)",
  ],
  words: Number.POSITIVE_INFINITY,
  async run(args, io) {
    const output = outputOf("diff", args);
    try {
      const files = fromFiles(args.positionals, io);
      const project = files.length > 0 ? undefined : await findProject(io.cwd);
      await using cluster = await reach(args, io);
      const objects = project === undefined ? files : await fromProject(project, args);
      const found: Found[] = [];
      for (const object of objects) {
        const seen = await difference(cluster.client, object, io.signal);
        if (seen !== undefined) found.push({ object: nameOf(object), ...seen });
      }
      io.out(output?.(found) ?? (found.map(text).join("") || `${objects.length} objects, none would change\n`));
      return found.length === 0 ? 0 : 1;
    } catch (error) {
      // As with `kubectl diff`, 1 means differences and nothing else.
      throw new CommandError(error instanceof CommandError ? error.message : `pintle diff: ${(error as Error).message}`, 2);
    }
  },
};

interface Found {
  readonly object: string;
  readonly change: "created" | "changed";
  readonly fields: readonly FieldChange[];
}

async function fromProject(found: Project, { values }: Arguments): Promise<readonly JsonObject[]> {
  const project = withImage(found, values);
  const operator = await describe(project);
  const parts = deployed({ project });
  return installOrder(
    manifests({ project, operator })
      .filter(({ part }) => parts.includes(part))
      .map(({ object }) => object),
  );
}

function fromFiles(files: readonly string[], io: Io): readonly JsonObject[] {
  return files.flatMap((file) => {
    let text: string;
    try {
      text = readFileSync(path.resolve(io.cwd, file), "utf8");
    } catch (error) {
      throw new CommandError(`pintle diff: ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
    }
    return (readYaml(text, file) as readonly JsonObject[]).map((object) => ({
      ...object,
      metadata: { namespace: "default", ...(object["metadata"] as JsonObject) },
    }));
  });
}

function text({ object, change, fields }: Found): string {
  if (change === "created") return `+ ${object}\n`;
  return [`~ ${object}`, ...fields.map(({ path, from, to }) => `    ${path}  ${shown(from)} -> ${shown(to)}`), ""].join("\n");
}

function shown(value: Json | undefined): string {
  if (value === undefined) return "(none)";
  const said = JSON.stringify(value);
  return said.length > 80 ? `${said.slice(0, 77)}...` : said;
}
