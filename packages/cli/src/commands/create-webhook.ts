import { type Arguments, type Command, CommandError } from "../command.ts";
import { findProject, type Project, sourcesOf } from "../project/index.ts";
import { type Say, saysOf, variableOf, webhookFile, withConversion, withListed, withSays } from "../scaffold/index.ts";
import { FOREIGN_ABOUT, FOREIGN_OPTIONS, foreignOf } from "./api-words.ts";
import { definedIn, nameIn, write } from "./create-api.ts";

const { external } = FOREIGN_OPTIONS;

export const createWebhook: Command = {
  name: "create webhook",
  summary: "Give a kind a webhook: a say before its objects are stored, or conversion between its versions.",
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
  about: {
    kind: "kind of a resource of the project, or, with --external, of somebody else",
    group: "its API group, where several have the kind",
    version: "with --external: its version",
    defaulting: "fills in what a client left out",
    validation: "says yes or no",
    conversion: "makes an older version one of its own, with the way to the newest and back",
    spoke: "with --conversion: which version, if there are several",
    external: FOREIGN_ABOUT.external.replace("a controller", "a webhook"),
  },
  examples: [
    "pintle create webhook --kind Storefront --defaulting --validation",
    "pintle create webhook --kind Storefront --conversion --spoke v1alpha1",
    "pintle create webhook --external --group apps --version v1 --kind Deployment --validation",
  ],
  async run(args, io) {
    const { values } = args;
    const says = [
      ...(values["defaulting"] === true ? ["default" as const] : []),
      ...(values["validation"] === true ? ["validate" as const] : []),
    ];
    if (values["kind"] === undefined) throw wrong("say the kind: --kind Storefront", 2);
    if (says.length === 0 && values["conversion"] !== true) throw wrong("say what it does: --defaulting, --validation or --conversion", 2);
    const project = await findProject(io.cwd);
    const kind = await kindOf(project, args);
    const files = new Map<string, string>();
    if (says.length > 0) for (const [file, text] of admission(project, kind, says)) files.set(file, text);
    if (values["conversion"] === true) {
      if (kind.defined === undefined) throw wrong("only a resource of the project is converted", 2);
      const text = withConversion(kind.defined.text, kind.defined.definition, values["spoke"] as string | undefined);
      if (text.startsWith("!")) throw wrong(`${kind.defined.file}: ${text.slice(1)}; nothing was changed`);
      files.set(kind.defined.file, text);
    }
    write(project, files, io);
    if (says.length > 0 && !files.has(project.entry) && !(sourcesOf(project).get(project.entry) ?? "").includes(kind.variable)) {
      io.out(`\n${project.entry} is not as it was made, so add it there yourself: webhooks: [${kind.variable}]\n`);
    }
    if (values["conversion"] === true) io.out("\nBoth versions have the same fields so far: change one, and toHub and fromHub with it\n");
  },
};

const wrong = (what: string, code = 1) => new CommandError(`pintle create webhook: ${what}`, code);

interface Kind {
  readonly kind: string;
  /** "shelf": of the webhook's own file, "shelf-webhook.ts". */
  readonly name: string;
  readonly from: string;
  readonly variable: string;
  readonly defined?: ReturnType<typeof definedIn>[number] | undefined;
}

async function kindOf(project: Project, args: Arguments): Promise<Kind> {
  const { kind = "", group } = args.values as Readonly<Record<string, string | undefined>>;
  if (args.values["external"] === true) {
    const { foreign } = await foreignOf("create webhook", args);
    if (foreign?.module === undefined)
      throw wrong(`${kind} of ${group} is not built in: add it first with pintle create api --external --no-controller`);
    return { kind, name: kind.toLowerCase(), from: foreign.module, variable: `${variableOf({ kind })}Webhook` };
  }
  const found = definedIn(project, kind).filter(
    ({ definition }) => group === undefined || [definition.group, definition.group?.split(".")[0]].includes(group),
  );
  const [one, another] = found;
  if (one === undefined)
    throw wrong(
      `no file defines ${kind}${group === undefined ? "" : ` of ${group}`}: make it with pintle create api, or say --external for a kind of somebody else`,
    );
  if (another !== undefined) throw wrong(`${one.file} and ${another.file} define ${kind}: say which with --group`, 2);
  const named = nameIn(one.file, kind);
  return { kind, name: named.file, from: `./${named.file}.ts`, variable: `${variableOf(named)}Webhook`, defined: one };
}

/** A file of its own beside the kind's; where there is one, only what is missing is added. */
function admission(project: Project, { kind, name, from, variable }: Kind, says: readonly Say[]): ReadonlyMap<string, string> {
  const sources = sourcesOf(project);
  const [there] = [...sources].filter(([file, text]) => !file.startsWith("test/") && saysOf(text, kind) !== undefined);
  if (there !== undefined) {
    const [file, text] = there;
    const said = saysOf(text, kind)!;
    const missing = says.filter((say) => !said.includes(say));
    if (missing.length === 0) throw wrong(`${file} does that for ${kind} already: nothing was changed`);
    return new Map([[file, withSays(text, kind, missing)]]);
  }
  const file = `${project.entry.replace(/[^/]*$/, "")}${name}-webhook.ts`;
  if (sources.has(file)) throw wrong(`${file} is there already and has no webhook of ${kind}: nothing was changed`);
  const main = withListed(sources.get(project.entry) ?? "", "webhooks", { kind, file: `${name}-webhook`, variable });
  return new Map([[file, webhookFile({ kind, from, variable }, says)], ...(main === undefined ? [] : [[project.entry, main] as const])]);
}
