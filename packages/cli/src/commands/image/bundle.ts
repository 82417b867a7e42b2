import { readFileSync } from "node:fs";
import path from "node:path";
import { isJsonObject } from "pintle/internal/json";
import type { Json } from "pintle/kinds";
import { findSampleProblems } from "../../checks/index.ts";
import { type Command, CommandError, OUTPUT_DESCRIPTION, OUTPUT_OPTION, outputFormatter, withProgress } from "../../command/index.ts";
import { parseImageReference, writeLayout } from "../../image/index.ts";
import { parseYaml } from "../../manifests/index.ts";
import { BUNDLE_FOLDER, buildBundleImage, readPresentation, renderBundleFiles } from "../../olm-bundle/index.ts";
import {
  describeProject,
  diffFiles,
  findProject,
  listSamples,
  type OperatorDescription,
  type Project,
  writeChanges,
} from "../../project/index.ts";
import { EVIDENCE_DESCRIPTIONS, EVIDENCE_OPTIONS, listBundleComponents, readEvidenceChoice } from "../../supply-chain/index.ts";
import { findGenerationProblems } from "../project/generate.ts";
import { readBundleArgument } from "./bundle-argument.ts";
import {
  bytesOf,
  findBundleFindings,
  findOlmProblems,
  listValidators,
  reportFindings,
  selectValidators,
  summarizeFindings,
} from "./bundle-findings.ts";
import { listMutableImages, withDigests } from "./image-digests.ts";
import { withImage } from "./image-option.ts";
import { publishImage } from "./publish-image.ts";

/** The OCI layout of the image of the bundle. */
const BUNDLE_LAYOUT_FOLDER = "dist/bundle-image";

export const bundle: Command = {
  name: "bundle",
  summary: "Write the operator as a bundle of Operator Lifecycle Manager, and build its image.",
  usage:
    "[BUNDLE-IMAGE] [--image IMAGE] [--use-image-digests] [--push] [--sign] [--sbom] [--check] [--insecure-registry] [--output json|yaml]\n" +
    "  pintle bundle --validate [FOLDER|IMAGE] [--select-optional SELECTOR] [--optional-values KEY=VALUE] [--output json|yaml]\n" +
    "  pintle bundle --list-optional",
  options: {
    image: { type: "string" },
    push: { type: "boolean" },
    check: { type: "boolean" },
    validate: { type: "boolean" },
    "use-image-digests": { type: "boolean" },
    "select-optional": { type: "string" },
    "optional-values": { type: "string", multiple: true },
    "list-optional": { type: "boolean" },
    ...EVIDENCE_OPTIONS,
    "insecure-registry": { type: "boolean" },
    ...OUTPUT_OPTION,
  },
  optionDescriptions: {
    image: "image of the operator, best with its digest (default: <name>:<version>)",
    push: "push the image of the bundle to the registry of BUNDLE-IMAGE",
    check: "do not write; fail if a file is out of date",
    validate: "do not write; run the validators of operator-sdk and the renderer of OLM v1 on the bundle of the project, or another one",
    "use-image-digests": "name the images of the operator by the digests that their tags have in the registry",
    "select-optional": "label selector of the validators to run beside the required ones, or none (default: suite=operatorframework)",
    "optional-values": "values for these validators, such as k8s-version=1.34",
    "list-optional": "list these validators",
    ...EVIDENCE_DESCRIPTIONS,
    "insecure-registry": "use plain HTTP for the registry of BUNDLE-IMAGE",
    ...OUTPUT_DESCRIPTION,
  },
  examples: [
    "pintle bundle --image ghcr.io/me/shop@sha256:0123...",
    "pintle bundle ghcr.io/me/shop-bundle:1.0.0 --push",
    "pintle bundle ghcr.io/me/shop-bundle:1.0.0 --use-image-digests --push",
    "pintle bundle --check --validate",
    "pintle bundle --validate ./downloads/other-operator/bundle --select-optional name=good-practices",
  ],
  maxPositionals: 1,
  async run(args, io) {
    const { values, positionals } = args;
    const output = outputFormatter(args);
    if (values["list-optional"] === true) return listValidators(io, output);
    const selection = await selectValidators(values, io);
    if (values["validate"] === true && positionals[0] !== undefined) {
      const found = await findBundleFindings(await readBundleArgument(positionals[0], values, io), selection);
      return reportFindings(io, positionals[0], found, output);
    }
    const startedAt = new Date();
    const choice = await readEvidenceChoice(values, io.cwd);
    const found = withImage(await findProject(io.cwd), values);
    const project = values["use-image-digests"] === true ? await withDigests(found, values["insecure-registry"] === true, io) : found;
    const name = positionals[0] ?? defaultBundleImage(project);
    const reference = parseImageReference(name);
    const operator = await withProgress(io, `reading ${project.entry}`, describeProject(project, undefined, io.signal));
    failOnProblems("PINTLE7041", "cannot write the bundle, nothing was written", findGenerationProblems(project, operator));
    const samples = listSamples(project).flatMap((file) => parseYaml(readFileSync(path.join(project.root, file), "utf8"), file));
    const { files, labels, warnings } = renderBundleFiles({
      project,
      operator,
      samples: addMissingVersions(samples, operator),
      presentation: readPresentation(project),
    });
    failOnProblems("PINTLE7097", "the olm block of pintle.config.ts is not valid", await findUpgradeProblems(project));
    const findings = await findBundleFindings(bytesOf(files), selection);
    const renderProblems = await findOlmProblems(project.namespace, bytesOf(files));
    const errors = findings.filter(({ level }) => level === "error").map(({ message }) => message);
    failOnProblems("PINTLE7097", "OLM cannot install this bundle", [...errors, ...renderProblems]);
    for (const { message } of findings.filter(({ level }) => level === "warning")) io.err(`${shortenWarning(message)}\n`);
    for (const warning of warnings) io.err(`warning: ${warning}\n`);
    const changes = diffFiles(project.root, files, [BUNDLE_FOLDER]);
    const isDryRun = values["check"] === true || values["validate"] === true;
    if (values["check"] === true) {
      const stale = changes.map(({ file, change }) => `${file} would be ${change}`);
      failOnProblems("PINTLE7042", "the check failed, run 'pintle bundle'", stale);
    }
    const image = buildBundleImage(files, labels);
    const summary = changes.map(({ file, change }) => ({ file, change }));
    if (isDryRun) {
      if (output !== undefined)
        return io.out(
          output({ image: name, digest: image.root.digest, files: [...files.keys()], changes: summary, ...summarizeFindings(findings) }),
        );
      return io.out(`${files.size} files of ${BUNDLE_FOLDER}/ are valid${summary.length === 0 ? " and up to date" : ""}\n`);
    }
    for (const image of values["push"] === true ? listMutableImages(project) : []) {
      io.err(`warning: the bundle names ${image} by its tag, whose content can change: use --use-image-digests\n`);
    }
    writeChanges(project.root, changes);
    await writeLayout(path.join(project.root, BUNDLE_LAYOUT_FOLDER), image, reference.reference);
    const describe = () => ({
      version: project.version,
      components: listBundleComponents(bytesOf(files), [project.image, ...Object.values(project.config.olm?.relatedImages ?? {})]),
      build: { command: "pintle bundle", parameters: { image: name }, root: project.root, startedAt },
    });
    const { sent, attached, report } = await publishImage({ name, reference, image, evidence: choice && { choice, describe } }, values, io);
    const result = { image: name, digest: image.root.digest, layout: BUNDLE_LAYOUT_FOLDER, files: [...files.keys()], changes: summary };
    if (output !== undefined) return io.out(output({ ...result, ...report }));
    for (const { file, change } of summary) io.out(`${change.padEnd(8)} ${file}\n`);
    io.out(`${name}  ${image.root.digest}\n`);
    io.out(sent === undefined ? `  saved to ${BUNDLE_LAYOUT_FOLDER}; push it with --push\n` : "  pushed\n");
    for (const each of attached) io.out(`  attached ${each}\n`);
  },
};

/** `ghcr.io/me/shop:1.0.0` -> `ghcr.io/me/shop-bundle:1.0.0`. */
function defaultBundleImage({ image, version }: Project): string {
  const [repository = image] = image.split("@");
  const colon = repository.lastIndexOf(":");
  const untagged = colon > repository.lastIndexOf("/") ? repository.slice(0, colon) : repository;
  return `${untagged}-bundle:${version}`;
}

/** Catalogs want an example of every version: where there is none, that of another version of the kind, if it is valid. */
function addMissingVersions(samples: readonly Json[], operator: OperatorDescription): readonly Json[] {
  const added = operator.resources.flatMap(({ crd: { spec } }) =>
    spec.versions.flatMap(({ name }): Json[] => {
      const apiVersion = `${spec.group}/${name}`;
      const ofKind = samples.filter(isJsonObject).filter((sample) => sample["kind"] === spec.names.kind);
      const others = ofKind.filter((sample) => String(sample["apiVersion"]).startsWith(`${spec.group}/`));
      if (others.length === 0 || others.some((sample) => sample["apiVersion"] === apiVersion)) return [];
      const example = { ...others[0], apiVersion };
      return findSampleProblems(example, operator).length === 0 ? [example] : [];
    }),
  );
  return [...samples, ...added];
}

/** `Warning: Value shop.example.com/v1, Kind=Store: ...`, and what helps in a project. */
function shortenWarning(message: string): string {
  const advice = message.includes("should have an example annotation") ? ": add one to config/samples" : "";
  return `${message.replace(/^Warning: (Value (: )?)?/, "warning: ")}${advice}`;
}

/** What `skipRange` and `replaces` must be for OLM to understand them. */
async function findUpgradeProblems({ config: { olm = {} }, version }: Project): Promise<readonly string[]> {
  const { parseBlangRange } = await import("@pintle/lifecycle/internal/versions");
  const problems: string[] = [];
  if (olm.skipRange !== undefined) {
    try {
      parseBlangRange(olm.skipRange);
    } catch (error) {
      problems.push(`olm.skipRange: ${JSON.stringify(olm.skipRange)}: ${(error as Error).message}; a range looks like ">=1.0.0 <1.2.0"`);
    }
  }
  if (olm.replaces === version) problems.push(`olm.replaces: ${version} is this version`);
  if (olm.skips?.includes(version)) problems.push(`olm.skips: ${version} is this version`);
  if (olm.channels?.length === 0) problems.push("olm.channels: at least one is needed, the first is the default channel");
  return problems;
}

function failOnProblems(code: "PINTLE7041" | "PINTLE7042" | "PINTLE7097", summary: string, lines: readonly string[]): void {
  if (lines.length > 0) throw new CommandError(code, `${summary}:\n${lines.map((line) => `  ${line}`).join("\n")}`);
}
