import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { JsonObject } from "pintle/kinds";
import { SelfSubjectAccessReview } from "pintle/kinds/authorization/v1";
import { findCrdProblems } from "../checks/index.ts";
import {
  type Command,
  CommandError,
  errorCode,
  type Io,
  OUTPUT_DESCRIPTION,
  OUTPUT_OPTION,
  outputFormatter,
  type ParsedArguments,
} from "../command/index.ts";
import { describeProject, findProject, type OperatorDescription, type Project } from "../project/index.ts";
import { connectToCluster, diffObject, READ_OPTION_DESCRIPTIONS, READ_OPTIONS, type TargetCluster } from "../target-cluster/index.ts";
import { findGenerationProblems, findStaleFiles } from "./project/generate.ts";
import { cliVersion } from "./version.ts";

export const doctor: Command = {
  name: "doctor",
  summary: "Check Node, the project, the cluster and your permissions there, and suggest fixes.",
  usage: "[--offline] [--context NAME] [--kubeconfig FILE] [--output json|yaml]",
  options: { offline: { type: "boolean" }, ...READ_OPTIONS, ...OUTPUT_OPTION },
  optionDescriptions: { offline: "do not contact a cluster", ...READ_OPTION_DESCRIPTIONS, ...OUTPUT_DESCRIPTION },
  examples: ["pintle doctor", "pintle doctor --offline", "pintle doctor --context prod -o json"],
  async run(args, io) {
    const output = outputFormatter(args);
    const findings: Finding[] = [];
    for await (const finding of runChecks(args, io)) {
      findings.push(finding);
      if (output === undefined) io.out(formatFinding(finding));
    }
    if (output !== undefined) io.out(output(findings));
    return findings.some(({ status }) => status === "error") ? 1 : 0;
  },
};

interface Finding {
  readonly status: "ok" | "warning" | "error";
  readonly message: string;
  /** The code of the error, if the finding is an error of a command. */
  readonly code?: string | undefined;
  readonly fix?: string | undefined;
}
const STATUS_LABELS = { ok: "ok     ", warning: "warning", error: "error  " } as const;
const formatFinding = ({ status, message, fix }: Finding) =>
  `${STATUS_LABELS[status]}  ${message}${fix === undefined ? "" : `\n         fix: ${fix}`}\n`;
const ok = (message: string): Finding => ({ status: "ok", message });

async function* runChecks(args: ParsedArguments, io: Io): AsyncGenerator<Finding> {
  yield checkNodeVersion(process.versions.node);
  let project: Project | undefined;
  let operator: OperatorDescription | undefined;
  try {
    project = await findProject(io.cwd);
    yield ok(`project ${project.name} ${project.version} in ${project.root}`);
    yield* checkPackages(project);
    operator = await describeProject(project);
    yield* checkCode(project, operator);
  } catch (error) {
    yield {
      status: "error",
      message: (error as Error).message,
      code: errorCode(error),
      fix:
        project === undefined
          ? "change to an operator project, or create one with 'pintle init my-operator'"
          : `make ${project.entry} compile and run: npm run check`,
    };
  }
  if (args.values["offline"] === true) return;
  try {
    await using cluster = await connectToCluster(args, io);
    yield* checkCluster(cluster, operator, io.signal);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    yield {
      status: "warning",
      message: error.message,
      code: error.code,
      fix: "start one with 'pintle cluster up', or select another with --context or --kubeconfig",
    };
  }
}

export function checkNodeVersion(version: string): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return ok(`Node ${version}`);
  return { status: "error", message: `Node ${version} is too old`, fix: "install Node 20.19 or newer" };
}

function* checkPackages({ root }: Project): Generator<Finding> {
  const versionOf = (name: string) => {
    for (let folder = root; ; folder = path.dirname(folder)) {
      const file = path.join(folder, "node_modules", name, "package.json");
      if (existsSync(file)) return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
      if (folder === path.dirname(folder)) return undefined;
    }
  };
  const found = ["pintle", "@pintle/cli", "@pintle/cluster"].map((name) => [name, versionOf(name)] as const);
  const missing = found.filter(([, version]) => version === undefined).map(([name]) => name);
  if (missing.length > 0) yield { status: "error", message: `${missing.join(", ")} not installed`, fix: "npm install" };
  const others = found.filter(([, version]) => version !== undefined && version !== cliVersion());
  if (others.length > 0) {
    yield {
      status: "error",
      message: `${others.map((each) => each.join(" ")).join(", ")} installed, but the CLI is ${cliVersion()}`,
      fix: "npx pintle upgrade && npm install",
    };
  } else if (missing.length === 0) yield ok(`pintle ${cliVersion()}, all packages have the same version`);
}

function* checkCode(project: Project, operator: OperatorDescription): Generator<Finding> {
  const names = operator.resources.map(({ crd }) => crd.metadata.name).join(", ");
  yield ok(`${operator.controllers.length} controllers; ${names || "no custom resources"}`);
  const problems = [...operator.resources.flatMap(findCrdProblems), ...findGenerationProblems(project, operator)];
  for (const message of [...new Set(problems)])
    yield { status: "error", message, fix: "fix the source or the sample that the message names" };
  if (problems.length > 0) return;
  const stale = findStaleFiles(project, operator);
  if (stale.length === 0) yield ok("generated manifests are up to date");
  else
    yield {
      status: "warning",
      message: `${stale.length} generated manifests are out of date: ${stale.slice(0, 3).join(", ")}${stale.length > 3 ? ", ..." : ""}`,
      fix: "pintle generate",
    };
}

/** One resource of each kind that `deploy` creates. */
const REQUIRED_PERMISSIONS = [
  ["apiextensions.k8s.io", "customresourcedefinitions"],
  ["rbac.authorization.k8s.io", "clusterroles"],
  ["", "namespaces"],
  ["apps", "deployments"],
] as const;

async function* checkCluster(
  { client, description }: TargetCluster,
  operator: OperatorDescription | undefined,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const answer = await client.request({ method: "GET", path: "/version", signal });
  const { gitVersion } = (await answer.json()) as { readonly gitVersion: string };
  yield ok(`${description} is reachable, Kubernetes ${gitVersion}`);
  for (const [group, resource] of REQUIRED_PERMISSIONS) {
    const spec = { resourceAttributes: { group, resource, verb: "create" } };
    const { status } = await client.create(SelfSubjectAccessReview, { metadata: {}, spec } as never, { signal });
    if (status?.allowed !== true) {
      yield {
        status: "warning",
        message: `you are not allowed to create ${resource}, which 'pintle deploy' requires`,
        fix: "ask the cluster administrator for access, or to apply dist/install.yaml",
      };
    }
  }
  for (const { crd } of operator?.resources ?? []) {
    const seen = await diffObject(client, crd as unknown as JsonObject, signal);
    const { name } = crd.metadata;
    if (seen === undefined) yield ok(`${name} is installed and up to date`);
    else if (seen.change === "created") yield { status: "warning", message: `${name} is not installed`, fix: "pintle install" };
    else
      yield {
        status: "warning",
        message: `${name} is installed, but out of date (${seen.fields[0]?.path})`,
        fix: "check 'pintle diff', then run 'pintle install'",
      };
  }
}
