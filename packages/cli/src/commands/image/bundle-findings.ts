import { defaultCrd, validateCrd } from "@pintle/cluster/schema";
import type { BundleFiles, BundleFinding, OptionalValidator } from "@pintle/lifecycle";
import type { JsonObject } from "pintle/kinds";
import { CommandError, type Io } from "../../command/index.ts";
import { BUNDLE_FOLDER } from "../../olm-bundle/index.ts";

type OutputFormatter = (answer: unknown) => string;

const DEFAULT_SELECTOR = "suite=operatorframework";
const NO_VALIDATORS = "none";

/** The validators to run, and their values. */
export interface ValidatorSelection {
  readonly optional: readonly OptionalValidator[];
  readonly values: Readonly<Record<string, string>>;
}

/** Reads `--select-optional` and `--optional-values`. */
export async function selectValidators(options: Readonly<Record<string, unknown>>): Promise<ValidatorSelection> {
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
  return { optional, values: Object.fromEntries(values) };
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
export async function findBundleFindings(files: BundleFiles, { optional, values }: ValidatorSelection): Promise<readonly BundleFinding[]> {
  const { validateBundleFiles } = await import("@pintle/lifecycle");
  return validateBundleFiles(files, {
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
