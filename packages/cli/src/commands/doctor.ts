import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { JsonObject } from "pintle/kinds";
import { SelfSubjectAccessReview } from "pintle/kinds/authorization/v1";
import { crdProblems } from "../checks/index.ts";
import { type Arguments, type Command, CommandError, type Io } from "../command.ts";
import { OUTPUT_ABOUT, OUTPUT_OPTION, outputOf } from "../output.ts";
import { describe, findProject, type Operator, type Project } from "../project/index.ts";
import { difference, REACH_ABOUT, REACH_OPTIONS, type Reach, reach } from "../reach/index.ts";
import { generationProblems, staleFiles } from "./generate.ts";
import { ownVersion } from "./version.ts";

const { yes: _, ...WHERE } = REACH_OPTIONS;
const { yes: __, ...WHERE_ABOUT } = REACH_ABOUT;

export const doctor: Command = {
  name: "doctor",
  summary: "Look for what is wrong: Node, the project, its cluster, your rights there; each with a way out.",
  usage: "[--offline] [--context NAME] [--kubeconfig FILE] [--output json|yaml]",
  options: { offline: { type: "boolean" }, ...WHERE, ...OUTPUT_OPTION },
  about: { offline: "ask no cluster", ...WHERE_ABOUT, ...OUTPUT_ABOUT },
  examples: ["pintle doctor", "pintle doctor --offline", "pintle doctor --context prod -o json"],
  async run(args, io) {
    const output = outputOf("doctor", args);
    const findings: Finding[] = [];
    for await (const finding of examine(args, io)) {
      findings.push(finding);
      if (output === undefined) io.out(line(finding));
    }
    if (output !== undefined) io.out(output(findings));
    return findings.some(({ verdict }) => verdict === "wrong") ? 1 : 0;
  },
};

interface Finding {
  readonly verdict: "fine" | "look" | "wrong";
  readonly what: string;
  readonly wayOut?: string | undefined;
}
const MARKS = { fine: "ok   ", look: "look ", wrong: "wrong" } as const;
const line = ({ verdict, what, wayOut }: Finding) => `${MARKS[verdict]}  ${what}${wayOut === undefined ? "" : `\n       -> ${wayOut}`}\n`;
const fine = (what: string): Finding => ({ verdict: "fine", what });

async function* examine(args: Arguments, io: Io): AsyncGenerator<Finding> {
  yield nodeVersion(process.versions.node);
  let project: Project | undefined;
  let operator: Operator | undefined;
  try {
    project = await findProject(io.cwd);
    yield fine(`project ${project.name} ${project.version} in ${project.root}`);
    yield* installed(project);
    operator = await describe(project);
    yield* code(project, operator);
  } catch (error) {
    yield {
      verdict: "wrong",
      what: (error as Error).message.replace(/^pintle: /, ""),
      wayOut:
        project === undefined
          ? "go to an operator's folder, or make one: pintle init my-operator"
          : `make ${project.entry} compile and run: npm run check`,
    };
  }
  if (args.values["offline"] === true) return;
  try {
    await using cluster = await reach(args, io);
    yield* clusterFindings(cluster, operator, io.signal);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    yield {
      verdict: "look",
      what: error.message.replace(/^pintle: /, ""),
      wayOut: "start one with: pintle cluster up, or name another with --context or --kubeconfig",
    };
  }
}

export function nodeVersion(version: string): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return fine(`Node ${version}`);
  return { verdict: "wrong", what: `Node ${version} is too old`, wayOut: "install Node 20.19 or newer" };
}

function* installed({ root }: Project): Generator<Finding> {
  const versionOf = (name: string) => {
    for (let folder = root; ; folder = path.dirname(folder)) {
      const file = path.join(folder, "node_modules", name, "package.json");
      if (existsSync(file)) return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
      if (folder === path.dirname(folder)) return undefined;
    }
  };
  const found = ["pintle", "@pintle/cli", "@pintle/cluster"].map((name) => [name, versionOf(name)] as const);
  const missing = found.filter(([, version]) => version === undefined).map(([name]) => name);
  if (missing.length > 0) yield { verdict: "wrong", what: `${missing.join(", ")} not installed`, wayOut: "npm install" };
  const others = found.filter(([, version]) => version !== undefined && version !== ownVersion());
  if (others.length > 0) {
    yield {
      verdict: "wrong",
      what: `${others.map((each) => each.join(" ")).join(", ")} beside pintle ${ownVersion()}`,
      wayOut: "bring them together with: npx pintle upgrade && npm install",
    };
  } else if (missing.length === 0) yield fine(`pintle ${ownVersion()}, all packages alike`);
}

function* code(project: Project, operator: Operator): Generator<Finding> {
  const names = operator.resources.map(({ crd }) => crd.metadata.name).join(", ");
  yield fine(`${operator.controllers.length} controllers; ${names || "no resources of its own"}`);
  const problems = [...operator.resources.flatMap(crdProblems), ...generationProblems(project, operator)];
  for (const what of [...new Set(problems)]) yield { verdict: "wrong", what, wayOut: "put it right in the source or the sample it names" };
  if (problems.length > 0) return;
  const stale = staleFiles(project, operator);
  if (stale.length === 0) yield fine("manifests as the code says");
  else
    yield {
      verdict: "look",
      what: `${stale.length} manifests are not as the code says: ${stale.slice(0, 3).join(", ")}${stale.length > 3 ? ", ..." : ""}`,
      wayOut: "pintle generate",
    };
}

/** What `deploy` does, one resource of each kind it makes. */
const RIGHTS = [
  ["apiextensions.k8s.io", "customresourcedefinitions"],
  ["rbac.authorization.k8s.io", "clusterroles"],
  ["", "namespaces"],
  ["apps", "deployments"],
] as const;

async function* clusterFindings({ client, where }: Reach, operator: Operator | undefined, signal: AbortSignal): AsyncGenerator<Finding> {
  const answer = await client.request({ method: "GET", path: "/version", signal });
  const { gitVersion } = (await answer.json()) as { readonly gitVersion: string };
  yield fine(`${where} answers, Kubernetes ${gitVersion}`);
  for (const [group, resource] of RIGHTS) {
    const spec = { resourceAttributes: { group, resource, verb: "create" } };
    const { status } = await client.create(SelfSubjectAccessReview, { metadata: {}, spec } as never, { signal });
    if (status?.allowed !== true) {
      yield {
        verdict: "look",
        what: `you may not create ${resource} there, which deploying takes`,
        wayOut: "ask its administrator, or apply dist/install.yaml as somebody who may",
      };
    }
  }
  for (const { crd } of operator?.resources ?? []) {
    const seen = await difference(client, crd as unknown as JsonObject, signal);
    const { name } = crd.metadata;
    if (seen === undefined) yield fine(`${name} is there, as the code says`);
    else if (seen.change === "created") yield { verdict: "look", what: `${name} is not there`, wayOut: "pintle install" };
    else
      yield {
        verdict: "look",
        what: `${name} is there, but not as the code says (${seen.fields[0]?.path})`,
        wayOut: "see pintle diff, then: pintle install",
      };
  }
}
