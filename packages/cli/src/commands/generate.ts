import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { JsonObject } from "pintle/kinds";
import { breakingChanges, crdProblems, sampleProblems } from "../checks/index.ts";
import { type Command, CommandError } from "../command.ts";
import { carryOut, changesOf } from "../files.ts";
import { kustomization, layout, OURS, readYaml } from "../manifests/index.ts";
import { describe, findProject, type Operator, type Project, SAMPLES, samplesOf } from "../project/index.ts";

export const generate: Command = {
  name: "generate",
  summary: "Write CRDs, RBAC, the Deployment and the rest into config/ and dist/install.yaml.",
  usage: "[--check] [--against REF] [--image IMAGE] [--output json]",
  options: {
    check: { type: "boolean" },
    against: { type: "string" },
    image: { type: "string" },
    output: { type: "string", short: "o" },
  },
  about: {
    check: "write nothing; fail if a file would change, or a CRD change would break stored objects",
    against: "git revision whose CRDs count as released (default: the files that are there)",
    image: "image of the operator (default: <name>:<version>)",
    output: "json: one object with what was written",
  },
  examples: ["pintle generate", "pintle generate --image ghcr.io/me/shop:1.0.0", "pintle generate --check --against origin/main"],
  async run({ values }, io) {
    const found = await findProject(io.cwd);
    const project = typeof values["image"] === "string" ? { ...found, image: values["image"] } : found;
    const operator = await describe(project);
    refuse(problems(project, operator), "nothing was written");
    const files = new Map([...layout({ project, operator }), ...samplesIndex(project)]);
    const changes = changesOf(project.root, files, OURS);
    const broken = breaking(project, operator, values["against"] as string | undefined);
    if (values["check"] === true) {
      refuse([...broken, ...changes.map(({ file, change }) => `${file} would be ${change}`)], "run: pintle generate");
    } else {
      carryOut(project.root, changes);
      for (const line of broken) io.err(`warning: ${line}\n`);
    }
    const told = changes.map(({ file, change }) => ({ file, change }));
    if (values["output"] === "json") io.out(`${JSON.stringify({ files: [...files.keys()], changes: told })}\n`);
    else for (const { file, change } of told) io.out(`${change.padEnd(8)} ${file}\n`);
    if (values["output"] !== "json" && told.length === 0) io.out(`${files.size} files, all as they should be\n`);
  },
};

function refuse(lines: readonly string[], then: string): void {
  if (lines.length > 0) throw new CommandError(`pintle generate: ${then}, because\n${lines.map((line) => `  ${line}`).join("\n")}`);
}

/** Samples are judged by definitions that are right themselves. */
function problems(project: Project, operator: Operator): readonly string[] {
  const wrong = operator.resources.flatMap(crdProblems);
  if (wrong.length > 0) return wrong;
  return samplesOf(project).flatMap((file) =>
    readYaml(readFileSync(path.join(project.root, file), "utf8"), file).flatMap((sample) =>
      sampleProblems(sample, operator).map((problem) => `${file}: ${problem}`),
    ),
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
