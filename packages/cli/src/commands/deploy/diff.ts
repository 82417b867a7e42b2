import { readFileSync } from "node:fs";
import path from "node:path";
import { stringifyJson } from "pintle/internal/json";
import type { Json, JsonObject } from "pintle/kinds";
import {
  type Command,
  CommandError,
  errorCode,
  type Io,
  OUTPUT_DESCRIPTION,
  OUTPUT_OPTION,
  outputFormatter,
  type ParsedArguments,
} from "../../command/index.ts";
import { buildManifests, deployedFolders, parseYaml, sortForInstall } from "../../manifests/index.ts";
import { describeProject, findProject, type Project } from "../../project/index.ts";
import {
  connectToCluster,
  diffObject,
  type FieldChange,
  formatObjectName,
  READ_OPTION_DESCRIPTIONS,
  READ_OPTIONS,
} from "../../target-cluster/index.ts";
import { withImage } from "../image/image-option.ts";

export const diff: Command = {
  name: "diff",
  summary: "Show what 'deploy', or applying the given files, would change in a cluster. Values of Secrets are masked.",
  usage: "[FILE...] [--image IMAGE] [--context NAME] [--kubeconfig FILE] [--output json|yaml]",
  options: { image: { type: "string" }, ...READ_OPTIONS, ...OUTPUT_OPTION },
  optionDescriptions: { image: "image of the operator (default: <name>:<version>)", ...READ_OPTION_DESCRIPTIONS, ...OUTPUT_DESCRIPTION },
  examples: [
    "pintle diff --image ghcr.io/me/shop:1.1.0 --context prod",
    "pintle diff config/samples/store.yaml",
    "pintle diff; echo $?                       # 0: no differences, 1: differences, 2: error",
  ],
  maxPositionals: Number.POSITIVE_INFINITY,
  async run(args, io) {
    const output = outputFormatter(args);
    try {
      const files = fileObjects(args.positionals, io);
      const project = files.length > 0 ? undefined : await findProject(io.cwd);
      await using cluster = await connectToCluster(args, io);
      const objects = project === undefined ? files : await projectObjects(project, args);
      const found: ChangedObject[] = [];
      for (const object of objects) {
        const changes = await diffObject(cluster.client, object, io.signal);
        if (changes !== undefined) found.push({ object: formatObjectName(object), ...changes });
      }
      io.out(output?.(found) ?? (found.map(formatChange).join("") || `no differences in ${objects.length} objects\n`));
      return found.length === 0 ? 0 : 1;
    } catch (error) {
      // As with `kubectl diff`, exit code 1 is reserved for differences.
      throw new CommandError(errorCode(error) ?? "PINTLE7065", (error as Error).message, 2);
    }
  },
};

interface ChangedObject {
  readonly object: string;
  readonly change: "created" | "changed";
  readonly fields: readonly FieldChange[];
}

async function projectObjects(found: Project, { values }: ParsedArguments): Promise<readonly JsonObject[]> {
  const project = withImage(found, values);
  const operator = await describeProject(project);
  const parts = deployedFolders({ project });
  return sortForInstall(
    buildManifests({ project, operator })
      .filter(({ folder }) => parts.includes(folder))
      .map(({ object }) => object),
  );
}

function fileObjects(files: readonly string[], io: Io): readonly JsonObject[] {
  return files.flatMap((file) => {
    let text: string;
    try {
      text = readFileSync(path.resolve(io.cwd, file), "utf8");
    } catch (error) {
      throw new CommandError("PINTLE7062", `cannot read ${file}: ${(error as NodeJS.ErrnoException).code}`);
    }
    return (parseYaml(text, file) as readonly JsonObject[]).flatMap(listItems).map((object) => ({
      ...object,
      metadata: { namespace: "default", ...(object["metadata"] as JsonObject) },
    }));
  });
}

function listItems(object: JsonObject): readonly JsonObject[] {
  return object["kind"] === "List" && object["apiVersion"] === "v1" ? ((object["items"] ?? []) as readonly JsonObject[]) : [object];
}

function formatChange({ object, change, fields }: ChangedObject): string {
  if (change === "created") return `+ ${object}\n`;
  return [`~ ${object}`, ...fields.map(({ path, from, to }) => `    ${path}  ${formatValue(from)} -> ${formatValue(to)}`), ""].join("\n");
}

function formatValue(value: Json | undefined): string {
  if (value === undefined) return "(none)";
  const json = stringifyJson(value);
  return json.length > 80 ? `${json.slice(0, 77)}...` : json;
}
