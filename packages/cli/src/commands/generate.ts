import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { JsonObject } from "pintle/kinds";
import { CHART, chart, TEMPLATES } from "../chart/index.ts";
import { breakingChanges, crdProblems, sampleProblems } from "../checks/index.ts";
import { type Command, CommandError } from "../command.ts";
import { type Change, carryOut, changesOf } from "../files.ts";
import { DEPLOY, deployLayout, kustomization, layout, OURS, readYaml } from "../manifests/index.ts";
import { OUTPUT_ABOUT, OUTPUT_OPTION, outputOf } from "../output.ts";
import { progress } from "../progress.ts";
import { describe, findProject, type Operator, type Project, SAMPLES, samplesOf } from "../project/index.ts";
import { withImage } from "./with-image.ts";

export const generate: Command = {
  name: "generate",
  summary: "Write CRDs, RBAC, the Deployment and the rest into config/, dist/install.yaml and dist/chart.",
  usage: "[--check] [--against REF] [--image IMAGE] [--layout deploy] [--output json|yaml]",
  options: {
    check: { type: "boolean" },
    against: { type: "string" },
    image: { type: "string" },
    layout: { type: "string" },
    ...OUTPUT_OPTION,
  },
  about: {
    check: "write nothing; fail if a file would change, or a CRD change would break stored objects",
    against: "git revision whose CRDs count as released (default: the files that are there)",
    image: "image of the operator (default: <name>:<version>)",
    layout: "deploy: only the files of operator-sdk before 1.0, in deploy/",
    ...OUTPUT_ABOUT,
  },
  examples: [
    "pintle generate",
    "pintle generate --image ghcr.io/me/shop:1.0.0",
    "pintle generate --check --against origin/main",
    "pintle generate --layout deploy",
  ],
  async run(args, io) {
    const { values } = args;
    const output = outputOf("generate", args);
    const found = await findProject(io.cwd);
    const project = withImage(found, values);
    const operator = await progress(io, `reading ${project.entry}`, describe(project));
    refuse(generationProblems(project, operator), "nothing was written");
    const old = layoutOf(values["layout"]) === "deploy";
    const files = old
      ? deployLayout(
          { project, operator },
          samplesOf(project).flatMap((file) => readSample(project, file)),
        )
      : generatedFiles(project, operator);
    const changes = changesOf(project.root, files, old ? [DEPLOY] : WHOLE);
    const broken = breaking(project, operator, values["against"] as string | undefined);
    if (values["check"] === true) {
      refuse([...broken, ...changes.map(({ file, change }) => `${file} would be ${change}`)], "run: pintle generate");
    } else {
      carryOut(project.root, changes);
      for (const line of broken) io.err(`warning: ${line}\n`);
      for (const hint of operator.webhooks.hints) io.err(`note: ${hint}\n`);
    }
    const told = changes.map(({ file, change }) => ({ file, change }));
    if (output !== undefined) return io.out(output({ files: [...files.keys()], changes: told }));
    for (const { file, change } of folded(told)) io.out(`${change.padEnd(8)} ${file}\n`);
    if (told.length === 0) io.out(`${files.size} files, all as they should be\n`);
  },
};

/** A chart is one thing to a reader. */
function folded(told: readonly Pick<Change, "file" | "change">[]): readonly Pick<Change, "file" | "change">[] {
  const inChart = ({ file }: Pick<Change, "file">) => file.startsWith(`${CHART}/`);
  const changes = [...new Set(told.filter(inChart).map(({ change }) => change))];
  const charts = changes.flatMap((change) => {
    const same = told.filter((each) => inChart(each) && each.change === change);
    return same.length < 4 ? same : [{ change, file: `${CHART}/ (${same.length} files)` }];
  });
  return [...told.filter((each) => !inChart(each)), ...charts];
}

function layoutOf(said: unknown): "deploy" | undefined {
  if (said === undefined || said === "deploy") return said;
  throw new CommandError(`pintle generate: --layout ${said} is not known: say deploy, or leave it out`, 2);
}

const readSample = ({ root }: Project, file: string) => readYaml(readFileSync(path.join(root, file), "utf8"), file);

function refuse(lines: readonly string[], then: string): void {
  if (lines.length > 0) throw new CommandError(`pintle generate: ${then}, because\n${lines.map((line) => `  ${line}`).join("\n")}`);
}

function generatedFiles(project: Project, operator: Operator): ReadonlyMap<string, string> {
  return new Map([...layout({ project, operator }), ...samplesIndex(project), ...chart({ project, operator }), ...chartOverlay(project)]);
}

/** Folders in which a file that is not generated any more goes. */
const WHOLE = [...OURS, TEMPLATES];

/** What the user has in config/chart comes into the chart as it is, and counts before what is generated. */
function chartOverlay({ root }: Project): ReadonlyMap<string, string> {
  const folder = path.join(root, "config/chart");
  if (!existsSync(folder)) return new Map();
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files.map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      return [`${CHART}/${path.relative(folder, file).replaceAll(path.sep, "/")}`, readFileSync(file, "utf8")];
    }),
  );
}

/** Files that `generate` would write or delete. */
export function staleFiles(project: Project, operator: Operator): readonly string[] {
  return changesOf(project.root, generatedFiles(project, operator), WHOLE).map(({ file }) => file);
}

/** What keeps `generate` from writing. Samples are judged by definitions that are right themselves. */
export function generationProblems(project: Project, operator: Operator): readonly string[] {
  const wrong = operator.resources.flatMap(crdProblems);
  if (wrong.length > 0) return wrong;
  return samplesOf(project).flatMap((file) =>
    readSample(project, file).flatMap((sample) => sampleProblems(sample, operator).map((problem) => `${file}: ${problem}`)),
  );
}

function samplesIndex(project: Project): ReadonlyMap<string, string> {
  const names = samplesOf(project).map((file) => path.basename(file));
  return new Map(names.length === 0 ? [] : [[`${SAMPLES}/kustomization.yaml`, kustomization(names)]]);
}

function breaking({ root }: Project, operator: Operator, against: string | undefined): readonly string[] {
  return operator.resources.flatMap(({ file, crd }) => {
    const relative = `config/crd/bases/${file}`;
    const released = against === undefined ? fromDisk(path.join(root, relative)) : fromGit(root, against, relative);
    if (released === undefined) return [];
    const [before] = readYaml(released, relative);
    return breakingChanges(before as JsonObject, crd as unknown as JsonObject).map(
      ({ field, rule, why }) => `${relative}: ${field}: ${rule}: ${why}: this breaks stored objects; add a version instead`,
    );
  });
}

const fromDisk = (file: string) => (existsSync(file) ? readFileSync(file, "utf8") : undefined);

function fromGit(root: string, revision: string, file: string): string | undefined {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  try {
    git("rev-parse", "--verify", "--quiet", `${revision}^{commit}`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") throw new CommandError("pintle generate: --against needs git on the PATH");
    throw new CommandError(`pintle generate: git knows no revision ${revision} in this project: fetch it first, or leave --against out`);
  }
  try {
    return git("show", `${revision}:./${file}`);
  } catch {
    return undefined;
  }
}
