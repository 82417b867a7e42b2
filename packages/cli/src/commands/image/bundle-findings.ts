import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { defaultCrd, validateCrd } from "@pintle/cluster/schema";
import type { BundleFiles, BundleFinding, IndexFile, InspectedImage, OptionalValidator, ValidatorInputs } from "@pintle/lifecycle";
import type { JsonObject } from "pintle/kinds";
import { CommandError, type Io, withProgress } from "../../command/index.ts";
import { BUNDLE_FOLDER } from "../../olm-bundle/index.ts";

type OutputFormatter = (answer: unknown) => string;

const DEFAULT_SELECTOR = "suite=operatorframework";
const NO_VALIDATORS = "none";

/** The validators to run, and their values. */
export interface ValidatorSelection {
  readonly optional: readonly OptionalValidator[];
  readonly values: Readonly<Record<string, string>>;
  /** Reads what the validators need from outside of a bundle. */
  readInputs(files: BundleFiles): Promise<ValidatorInputs>;
}

/** Reads `--select-optional` and `--optional-values`. */
export async function selectValidators(options: Readonly<Record<string, unknown>>, io: Io): Promise<ValidatorSelection> {
  const lifecycle = await import("@pintle/lifecycle");
  const { "select-optional": selector = DEFAULT_SELECTOR, "optional-values": pairs = [] } = options;
  const optional = selector === NO_VALIDATORS ? [] : lifecycle.selectValidators(String(selector));
  if (optional.length === 0 && selector !== NO_VALIDATORS) {
    throw new CommandError(
      "PINTLE7096",
      `--select-optional: no validator has labels ${String(selector)}; list them with --list-optional`,
      2,
    );
  }
  const values = (pairs as readonly string[])
    .flatMap((pair) => pair.split(","))
    .map((pair): [string, string] => {
      const [key = "", ...value] = pair.split("=");
      if (value.length === 0) throw new CommandError("PINTLE7096", `--optional-values: ${pair} must be KEY=VALUE`, 2);
      return [key, value.join("=")];
    });
  const selected = Object.fromEntries(values);
  const has = (name: string) => optional.some((each) => each.name === name);
  return {
    optional,
    values: selected,
    async readInputs(files) {
      const file = selected["index-path"] ?? "";
      return {
        indexFile: has("community") && file !== "" ? readIndexFile(file, io) : undefined,
        images: has("multiarch") ? await inspectImages(files, options["insecure-registry"] === true, io) : undefined,
      };
    },
  };
}

/** Reads the Dockerfile of a bundle. Errors are in the words of Go. */
function readIndexFile(file: string, { cwd }: Io): IndexFile {
  const place = path.resolve(cwd, file);
  try {
    if (statSync(place).isDirectory()) return { problem: "folder", error: "" };
  } catch {
    return { problem: "missing", error: `stat ${file}: no such file or directory` };
  }
  try {
    return { text: readFileSync(place, "utf8") };
  } catch {
    return { problem: "unreadable", error: `open ${file}: permission denied` };
  }
}

/** Reads the platforms of all images that a bundle names from their registries. */
async function inspectImages(files: BundleFiles, insecure: boolean, io: Io): Promise<ReadonlyMap<string, InspectedImage>> {
  const { listInspectedImages, loadBundleManifests } = await import("@pintle/lifecycle/internal/validate");
  const { openImage, readImagePlatforms } = await import("@pintle/lifecycle/internal/image");
  const bundle = loadBundleManifests(files);
  if ("problems" in bundle) return new Map();
  const images = listInspectedImages(bundle);
  const inspect = async (image: string): Promise<InspectedImage> => {
    try {
      const opened = await openImage(image, { cwd: io.cwd, signal: io.signal, insecure: () => insecure });
      return await readImagePlatforms(opened.images, opened.reference);
    } catch (error) {
      io.signal.throwIfAborted();
      return { error: (error as Error).message };
    }
  };
  const found = images.map(async (image) => [image, await inspect(image)] as const);
  return new Map(await withProgress(io, `reading ${images.length} images`, Promise.all(found)));
}

/** Prints the validators with their labels. */
export async function listValidators(io: Io, output: OutputFormatter | undefined): Promise<void> {
  const { OPTIONAL_VALIDATORS } = await import("@pintle/lifecycle/internal/validate");
  const rows = OPTIONAL_VALIDATORS.map(({ name, labels, description }) => ({ name, labels, description }));
  if (output !== undefined) return io.out(output(rows));
  const lines = rows.map(({ name, labels, description }) => {
    const shown = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
    return `${name.padEnd(24)}${shown.join(",").padEnd(56)}${description}`;
  });
  io.out([`${"NAME".padEnd(24)}${"LABELS".padEnd(56)}DESCRIPTION`, ...lines, ""].join("\n"));
}

/** Runs the validators of operator-sdk on the files of a bundle, whose paths start at its folder. */
export async function findBundleFindings(files: BundleFiles, selection: ValidatorSelection): Promise<readonly BundleFinding[]> {
  const { validateBundleFiles } = await import("@pintle/lifecycle");
  const { optional, values } = selection;
  return validateBundleFiles(files, {
    inputs: await selection.readInputs(files),
    optional,
    values,
    validateCrd: (crd) =>
      validateCrd(defaultCrd({ ...crd, status: { storedVersions: [] } } as JsonObject)).map(({ field, detail }) => ({
        field,
        message: detail,
      })),
  });
}

/** Reads and renders a bundle as OLM v1 does, into `namespace`. Returns why that fails. */
export async function findOlmProblems(namespace: string, files: BundleFiles): Promise<readonly string[]> {
  try {
    await renderForOlm(namespace, files);
    return [];
  } catch (error) {
    return (error as Error).message.split("\n");
  }
}

/** Renders a bundle in an install mode that it supports. Throws if OLM v1 cannot install it. */
export async function renderForOlm(namespace: string, files: BundleFiles): Promise<readonly JsonObject[]> {
  const { readBundle, renderBundle } = await import("@pintle/lifecycle");
  const read = readBundle(files);
  const modes = (read.csv.spec?.installModes ?? []).filter(({ supported }) => supported).map(({ type }) => type);
  const targetNamespaces = modes.includes("AllNamespaces") ? [""] : modes.includes("OwnNamespace") ? [namespace] : [`${namespace}-watched`];
  return renderBundle(read, { namespace, targetNamespaces, certificates: "cert-manager" });
}

/** The verdict as `operator-sdk bundle validate -o json-alpha1` prints it. */
export function summarizeFindings(findings: readonly BundleFinding[]): {
  readonly passed: boolean;
  readonly outputs: readonly { readonly type: "error" | "warning"; readonly message: string }[];
} {
  return {
    passed: findings.every(({ level }) => level !== "error"),
    outputs: findings.map(({ level, message }) => ({ type: level, message })),
  };
}

/** Prints the verdict about a bundle that was not rendered from this project. Throws if it is not valid. */
export function reportFindings(io: Io, folder: string, findings: readonly BundleFinding[], output: OutputFormatter | undefined): void {
  const { passed } = summarizeFindings(findings);
  if (output !== undefined) io.out(output(summarizeFindings(findings)));
  else for (const { level, message } of findings) io.out(`${level}: ${message.replace(/^(Error|Warning): (Value : )?/, "")}\n`);
  const errors = findings.filter(({ level }) => level === "error").length;
  if (!passed) throw new CommandError("PINTLE7097", `${folder} is not a valid bundle: ${errors} ${errors === 1 ? "error" : "errors"}`);
  if (output === undefined) io.out(`${folder} is a valid bundle\n`);
}

/** The files of a rendered bundle, with paths that start at its folder. */
export function bytesOf(files: ReadonlyMap<string, string>): BundleFiles {
  return new Map([...files].map(([file, text]) => [file.slice(BUNDLE_FOLDER.length + 1), Buffer.from(text)]));
}
