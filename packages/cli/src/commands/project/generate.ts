import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { findBreakingCrdChanges } from "@pintle/lifecycle/internal/safety";
import type { JsonObject } from "pintle/kinds";
import { buildChart, CHART_FOLDER, TEMPLATES_FOLDER } from "../../chart/index.ts";
import { findCrdProblems, findSampleProblems } from "../../checks/index.ts";
import { type Command, CommandError, OUTPUT_DESCRIPTION, OUTPUT_OPTION, outputFormatter, withProgress } from "../../command/index.ts";
import {
  DEPLOY_FOLDER,
  GENERATED_FOLDERS,
  parseYaml,
  renderConfigLayout,
  renderDeployLayout,
  renderKustomization,
} from "../../manifests/index.ts";
import {
  describeProject,
  diffFiles,
  type FileChange,
  findProject,
  listSamples,
  type OperatorDescription,
  type Project,
  SAMPLES_FOLDER,
  writeChanges,
} from "../../project/index.ts";
import { withImage } from "../image/image-option.ts";

export const generate: Command = {
  name: "generate",
  summary: "Generate CRDs, RBAC, the Deployment and webhook manifests in config/, dist/install.yaml and dist/chart.",
  usage: "[--check] [--against REF] [--image IMAGE] [--layout deploy] [--output json|yaml]",
  options: {
    check: { type: "boolean" },
    against: { type: "string" },
    image: { type: "string" },
    layout: { type: "string" },
    ...OUTPUT_OPTION,
  },
  optionDescriptions: {
    check: "do not write; fail if a file is out of date or a CRD change breaks stored objects",
    against: "git revision with the released CRDs (default: the files in config/crd)",
    image: "image of the operator (default: <name>:<version>)",
    layout: "'deploy' writes only the layout of operator-sdk before 1.0, in deploy/",
    ...OUTPUT_DESCRIPTION,
  },
  examples: [
    "pintle generate",
    "pintle generate --image ghcr.io/me/shop:1.0.0",
    "pintle generate --check --against origin/main",
    "pintle generate --layout deploy",
  ],
  async run(args, io) {
    const { values } = args;
    const output = outputFormatter(args);
    const found = await findProject(io.cwd);
    const project = withImage(found, values);
    const operator = await withProgress(io, `reading ${project.entry}`, describeProject(project));
    failOnProblems("PINTLE7041", "cannot generate manifests, nothing was written", findGenerationProblems(project, operator));
    const isDeployLayout = parseLayout(values["layout"]) === "deploy";
    const files = isDeployLayout
      ? renderDeployLayout(
          { project, operator },
          listSamples(project).flatMap((file) => readSample(project, file)),
        )
      : renderGeneratedFiles(project, operator);
    const changes = diffFiles(project.root, files, isDeployLayout ? [DEPLOY_FOLDER] : MANAGED_FOLDERS);
    const broken = findBreakingChanges(project, operator, values["against"] as string | undefined);
    if (values["check"] === true) {
      failOnProblems("PINTLE7042", "the check failed, run 'pintle generate'", [
        ...broken,
        ...changes.map(({ file, change }) => `${file} would be ${change}`),
      ]);
    } else {
      writeChanges(project.root, changes);
      for (const line of broken) io.err(`warning: ${line}\n`);
      for (const hint of operator.webhooks.hints) io.err(`note: ${hint}\n`);
    }
    const summary = changes.map(({ file, change }) => ({ file, change }));
    if (output !== undefined) return io.out(output({ files: [...files.keys()], changes: summary }));
    for (const { file, change } of collapseChartFiles(summary)) io.out(`${change.padEnd(8)} ${file}\n`);
    if (summary.length === 0) io.out(`${files.size} files are up to date\n`);
  },
};

/** Collapses many changed files of the chart into one line. */
function collapseChartFiles(all: readonly Pick<FileChange, "file" | "change">[]): readonly Pick<FileChange, "file" | "change">[] {
  const inChart = ({ file }: Pick<FileChange, "file">) => file.startsWith(`${CHART_FOLDER}/`);
  const changes = [...new Set(all.filter(inChart).map(({ change }) => change))];
  const charts = changes.flatMap((change) => {
    const same = all.filter((each) => inChart(each) && each.change === change);
    return same.length < 4 ? same : [{ change, file: `${CHART_FOLDER}/ (${same.length} files)` }];
  });
  return [...all.filter((each) => !inChart(each)), ...charts];
}

function parseLayout(layout: unknown): "deploy" | undefined {
  if (layout === undefined || layout === "deploy") return layout;
  throw new CommandError("PINTLE7005", `invalid --layout "${layout}": must be deploy`, 2);
}

const readSample = ({ root }: Project, file: string) => parseYaml(readFileSync(path.join(root, file), "utf8"), file);

function failOnProblems(code: "PINTLE7041" | "PINTLE7042", summary: string, lines: readonly string[]): void {
  if (lines.length > 0) throw new CommandError(code, `${summary}:\n${lines.map((line) => `  ${line}`).join("\n")}`);
}

function renderGeneratedFiles(project: Project, operator: OperatorDescription): ReadonlyMap<string, string> {
  return new Map([
    ...renderConfigLayout({ project, operator }),
    ...samplesKustomization(project),
    ...buildChart({ project, operator }),
    ...readChartOverlay(project),
  ]);
}

/** Folders in which files that are no longer generated are deleted. */
const MANAGED_FOLDERS = [...GENERATED_FOLDERS, TEMPLATES_FOLDER];

/** Files in config/chart are copied into the chart and override generated files. */
function readChartOverlay({ root }: Project): ReadonlyMap<string, string> {
  const folder = path.join(root, "config/chart");
  if (!existsSync(folder)) return new Map();
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files.map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      return [`${CHART_FOLDER}/${path.relative(folder, file).replaceAll(path.sep, "/")}`, readFileSync(file, "utf8")];
    }),
  );
}

/** Returns the files that `generate` would write or delete. */
export function findStaleFiles(project: Project, operator: OperatorDescription): readonly string[] {
  return diffFiles(project.root, renderGeneratedFiles(project, operator), MANAGED_FOLDERS).map(({ file }) => file);
}

/** Returns the problems that prevent generation. Samples are checked only if all CRDs are valid. */
export function findGenerationProblems(project: Project, operator: OperatorDescription): readonly string[] {
  const wrong = operator.resources.flatMap(findCrdProblems);
  if (wrong.length > 0) return wrong;
  return listSamples(project).flatMap((file) =>
    readSample(project, file).flatMap((sample) => findSampleProblems(sample, operator).map((problem) => `${file}: ${problem}`)),
  );
}

function samplesKustomization(project: Project): ReadonlyMap<string, string> {
  const names = listSamples(project).map((file) => path.basename(file));
  return new Map(names.length === 0 ? [] : [[`${SAMPLES_FOLDER}/kustomization.yaml`, renderKustomization(names)]]);
}

function findBreakingChanges({ root }: Project, operator: OperatorDescription, against: string | undefined): readonly string[] {
  return operator.resources.flatMap(({ file, crd }) => {
    const relative = `config/crd/bases/${file}`;
    const released = against === undefined ? readFromDisk(path.join(root, relative)) : readFromGit(root, against, relative);
    if (released === undefined) return [];
    const [before] = parseYaml(released, relative);
    return findBreakingCrdChanges(before as JsonObject, crd as unknown as JsonObject).map(
      ({ field, keyword, detail }) => `${relative}: ${field}: ${keyword}: ${detail}: this breaks stored objects, add a version instead`,
    );
  });
}

const readFromDisk = (file: string) => (existsSync(file) ? readFileSync(file, "utf8") : undefined);

function readFromGit(root: string, revision: string, file: string): string | undefined {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  try {
    git("rev-parse", "--verify", "--quiet", `${revision}^{commit}`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") throw new CommandError("PINTLE7043", "--against requires git on the PATH");
    throw new CommandError("PINTLE7043", `unknown git revision "${revision}": fetch it first, or omit --against`);
  }
  try {
    return git("show", `${revision}:./${file}`);
  } catch {
    return undefined;
  }
}
