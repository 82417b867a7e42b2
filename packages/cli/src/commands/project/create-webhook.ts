import path from "node:path";
import { type Command, CommandError, type Io, type ParsedArguments } from "../../command/index.ts";
import { findProject, type Project, readSources } from "../../project/index.ts";
import {
  addConversion,
  addToRunList,
  addWebhookHandlers,
  controllerVariable,
  findImportedModule,
  findWebhookHandlers,
  renderWebhookFile,
  type WebhookHandler,
} from "../../scaffold/index.ts";
import { EXTERNAL_DESCRIPTIONS, EXTERNAL_OPTIONS, parseExternalApi } from "./api-options.ts";
import { findDefinedResources, namesFromFile, writeFiles } from "./create-api.ts";
import { isOfGroup, selectResource } from "./select-resource.ts";

const { external } = EXTERNAL_OPTIONS;

export const createWebhook: Command = {
  name: "create webhook",
  summary: "Add a defaulting, validating or conversion webhook for a kind.",
  usage: "--kind KIND [--defaulting] [--validation] [--conversion [--spoke VERSION]]",
  options: {
    kind: { type: "string" },
    group: { type: "string" },
    version: { type: "string" },
    defaulting: { type: "boolean" },
    validation: { type: "boolean" },
    conversion: { type: "boolean" },
    spoke: { type: "string" },
    external,
  },
  optionDescriptions: {
    kind: "kind of a resource of the project or, with --external, of another API",
    group: "API group of the kind, if the kind is ambiguous",
    version: "with --external: version of the kind",
    defaulting: "add a defaulting (mutating) handler",
    validation: "add a validating handler",
    conversion: "give an older version its own schema and convert it to and from the newest version",
    spoke: "with --conversion: the older version, if there are several",
    external: EXTERNAL_DESCRIPTIONS.external.replace("a controller", "a webhook"),
  },
  examples: [
    "pintle create webhook --kind Storefront --defaulting --validation",
    "pintle create webhook --kind Storefront --conversion --spoke v1alpha1",
    "pintle create webhook --external --group apps --version v1 --kind Deployment --validation",
  ],
  async run(args, io) {
    const { values } = args;
    const handlers = [
      ...(values["defaulting"] === true ? ["default" as const] : []),
      ...(values["validation"] === true ? ["validate" as const] : []),
    ];
    if (values["kind"] === undefined) throw new CommandError("PINTLE7004", "missing --kind, for example --kind Storefront", 2);
    if (handlers.length === 0 && values["conversion"] !== true)
      throw new CommandError("PINTLE7004", "at least one of --defaulting, --validation and --conversion is required", 2);
    const project = await findProject(io.cwd);
    const kind = await resolveKind(project, args, io);
    const files = new Map<string, string>();
    if (handlers.length > 0) for (const [file, text] of admissionFiles(project, kind, handlers)) files.set(file, text);
    if (values["conversion"] === true) {
      if (kind.defined === undefined) throw new CommandError("PINTLE7006", "--conversion requires a resource of the project", 2);
      const text = addConversion(kind.defined.text, kind.defined.definition, values["spoke"] as string | undefined);
      if (text.startsWith("!")) throw new CommandError("PINTLE7039", `${kind.defined.file}: ${text.slice(1)}. Nothing was changed`);
      files.set(kind.defined.file, text);
    }
    writeFiles(project, files, io);
    if (handlers.length > 0 && !files.has(project.entry) && !(readSources(project).get(project.entry) ?? "").includes(kind.variable)) {
      io.out(`\n${project.entry} does not have the scaffolded form. Add the webhook by hand: webhooks: [${kind.variable}]\n`);
    }
    if (values["conversion"] === true)
      io.out("\nBoth versions have the same schema. Change one of them, and toHub and fromHub accordingly\n");
  },
};

interface WebhookKind {
  readonly kind: string;
  /** Base name of the webhook's file: "catalog" for "catalog-webhook.ts". */
  readonly name: string;
  readonly importPath: string;
  readonly variable: string;
  readonly defined?: ReturnType<typeof findDefinedResources>[number] | undefined;
}

async function resolveKind(project: Project, args: ParsedArguments, io: Io): Promise<WebhookKind> {
  const { kind = "", group } = args.values as Readonly<Record<string, string | undefined>>;
  if (args.values["external"] === true) {
    const { external } = await parseExternalApi(args);
    if (external?.module === undefined)
      throw new CommandError(
        "PINTLE7035",
        `${kind} of ${group} is not a built-in kind. Add it first with 'pintle create api --external --no-controller'`,
      );
    return { kind, name: kind.toLowerCase(), importPath: external.module, variable: `${controllerVariable({ kind })}Webhook` };
  }
  const found = findDefinedResources(project, kind).filter((each) => isOfGroup(each.group, group));
  const match = await selectResource(kind, found, io);
  if (match === undefined)
    throw new CommandError(
      "PINTLE7035",
      `no source file defines ${kind}${group === undefined ? "" : ` of ${group}`}. Create it with 'pintle create api', or use --external for a kind of another API`,
    );
  const named = namesFromFile(match.file, kind);
  return { kind, name: named.file, importPath: `./${named.file}.ts`, variable: `${controllerVariable(named)}Webhook`, defined: match };
}

/**
 * Returns the webhook's file and the updated entry file. If the project already has a webhook for the kind, only the missing handlers are
 * added to it.
 */
function admissionFiles(
  project: Project,
  { kind, name, importPath, variable }: WebhookKind,
  handlers: readonly WebhookHandler[],
): ReadonlyMap<string, string> {
  const sources = readSources(project);
  const otherFiles = findDefinedResources(project, kind)
    .map((each) => path.posix.basename(each.file))
    .filter((file) => file !== path.posix.basename(importPath));
  const isOtherKind = (module = "") =>
    importPath.startsWith(".")
      ? module.startsWith("pintle/kinds/") || otherFiles.includes(path.posix.basename(module))
      : module !== importPath;
  const [existing] = [...sources].filter(
    ([file, text]) =>
      !file.startsWith("test/") && findWebhookHandlers(text, kind) !== undefined && !isOtherKind(findImportedModule(text, kind) ?? file),
  );
  if (existing !== undefined) {
    const [file, text] = existing;
    const present = findWebhookHandlers(text, kind)!;
    const missing = handlers.filter((handler) => !present.includes(handler));
    if (missing.length === 0) throw new CommandError("PINTLE7040", `${file} already has these handlers for ${kind}. Nothing was changed`);
    return new Map([[file, addWebhookHandlers(text, kind, missing)]]);
  }
  const file = `${project.entry.slice(0, project.entry.lastIndexOf("/") + 1)}${name}-webhook.ts`;
  if (sources.has(file)) throw new CommandError("PINTLE7033", `${file} already exists and has no webhook for ${kind}. Nothing was changed`);
  const main = addToRunList(sources.get(project.entry) ?? "", "webhooks", { kind, file: `${name}-webhook`, variable });
  return new Map([
    [file, renderWebhookFile({ kind, from: importPath, variable }, handlers)],
    ...(main === undefined ? [] : [[project.entry, main] as const]),
  ]);
}
