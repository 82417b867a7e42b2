/**
 * Rejects regular expressions that can take more than linear time: a client that chooses the text could then stall the process. `npm run redos`
 * analyses every regular expression in the sources of the packages with recheck, and fails unless it is proven, or at least not disproven, linear.
 *
 * An analysis takes up to seconds, so accepted expressions are kept in `redos.json`, and only new ones are analysed. `--write` updates
 * that file; `--all` analyses everything again.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { check } from "recheck";
import { parseAst } from "vitest/node";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const ACCEPTED = path.join(root, "scripts/redos.json");
const TIMEOUT_MS = 60_000;

/** By file, the interpolated expressions that are plain text, or patterns that no client chooses, and why. The rest of the pattern is analysed. */
const INTERPOLATED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "packages/cli/src/scaffold/conversion-source.ts": { field: "spec or status" },
  "packages/cli/src/scaffold/external-kind.ts": { kind: "a kind, which has only letters and digits" },
  "packages/cli/src/scaffold/entry-file.ts": {
    file: "a file name of the project",
    'from.replaceAll(".", "\\\\.")': "a module of the project",
  },
  "packages/cli/src/scaffold/resource-definitions.ts": { field: "group, version or kind" },
  "packages/cli/src/scaffold/webhook-source.ts": { handler: "default or validate" },
  "packages/cli/src/upgrade/project-settings.ts": { setting: "the name of a compiler option" },
  "packages/cluster/src/codec/json/stringify.ts": { BIGINT_MARK: "a UUID" },
  "packages/cluster/src/node/process/runtime/rewrite-text.ts": { paths: "mount paths, escaped, separated by |" },
  "packages/cluster/src/schema/re2/rune-set.ts": { items: "ranges of escaped characters and Unicode properties, in one class" },
  "packages/pintle/src/json/lossless-json.ts": { mark: "a fixed word after underscores" },
  "packages/pintle/src/testing/example-value.ts": {
    pattern: "a pattern of the resource's author, matched with a few short texts in a test",
  },
};
/** Stands for an interpolated text. */
const PLACEHOLDER = "x1";

/** A regular expression of the sources. */
export interface FoundRegex {
  readonly line: number;
  readonly source: string;
  readonly flags: string;
}

/** An expression in the pattern of a constructor call that is neither constant nor in the table. */
export interface UnknownPart {
  readonly line: number;
  readonly expression: string;
}

interface AstNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/**
 * Finds the regular expressions of a module: literals, and constructor calls whose pattern consists of constants of the module and of the
 * expressions in `interpolated`.
 */
export function findRegexes(
  text: string,
  interpolated: Readonly<Record<string, string>> = {},
): { readonly found: readonly FoundRegex[]; readonly unknown: readonly UnknownPart[]; readonly used: ReadonlySet<string> } {
  const program = parseAst(text, { lang: "ts" }) as unknown as AstNode;
  const constants = new Map<string, AstNode>();
  for (const statement of program["body"] as readonly AstNode[]) {
    const declaration = statement.type === "ExportNamedDeclaration" ? (statement["declaration"] as AstNode | null) : statement;
    if (declaration?.type !== "VariableDeclaration" || declaration["kind"] !== "const") continue;
    for (const { id, init } of declaration["declarations"] as readonly { readonly id: AstNode; readonly init: AstNode }[]) {
      if (id.type === "Identifier") constants.set(id["name"] as string, init);
    }
  }
  const found: FoundRegex[] = [];
  const unknown: UnknownPart[] = [];
  const used = new Set<string>();
  for (const node of walk(program)) {
    const lineOf = () => text.slice(0, node.start).split("\n").length;
    const regex = node.type === "Literal" ? (node["regex"] as { pattern: string; flags: string } | undefined) : undefined;
    if (regex !== undefined) found.push({ line: lineOf(), source: regex.pattern, flags: regex.flags });
    if (node.type !== "NewExpression" && node.type !== "CallExpression") continue;
    if ((node["callee"] as AstNode)["name"] !== "RegExp") continue;
    const line = lineOf();
    const [pattern, flags] = node["arguments"] as readonly AstNode[];
    const replaceUnknown = ({ start, end }: AstNode): string => {
      const expression = text.slice(start, end);
      if (Object.hasOwn(interpolated, expression)) used.add(expression);
      else unknown.push({ line, expression });
      return PLACEHOLDER;
    };
    const source = evaluateString(pattern!, constants, replaceUnknown);
    found.push({ line, source, flags: flags === undefined ? "" : evaluateString(flags, constants, () => "u") });
  }
  return { found, unknown, used };
}

function* walk(value: unknown): Generator<AstNode> {
  if (Array.isArray(value)) for (const item of value) yield* walk(item);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return;
  if (typeof (value as AstNode).type === "string") yield value as AstNode;
  for (const field of Object.values(value)) if (typeof field === "object" && field !== null) yield* walk(field);
}

const CONSTANT_EXPRESSIONS = ["Literal", "TemplateLiteral", "BinaryExpression", "MemberExpression"];

/** Evaluates string literals, templates, concatenations, `.source`, and constants of the module. */
function evaluateString(node: AstNode, constants: ReadonlyMap<string, AstNode>, replaceUnknown: (node: AstNode) => string): string {
  const evaluate = (part: unknown) => evaluateString(part as AstNode, constants, replaceUnknown);
  if (node.type === "Literal" && typeof node["value"] === "string") return node["value"];
  if (node.type === "Identifier") {
    const value = constants.get(node["name"] as string);
    if (value !== undefined && CONSTANT_EXPRESSIONS.includes(value.type)) return evaluate(value);
  }
  if (node.type === "TemplateLiteral") {
    const texts = (node["quasis"] as readonly { value: { cooked: string } }[]).map(({ value }) => value.cooked);
    const values = (node["expressions"] as readonly AstNode[]).map(evaluate);
    return texts.map((part, i) => part + (values[i] ?? "")).join("");
  }
  if (node.type === "BinaryExpression" && node["operator"] === "+") return evaluate(node["left"]) + evaluate(node["right"]);
  if (node.type === "MemberExpression") {
    const { object, property } = node as unknown as { readonly object: AstNode; readonly property: AstNode };
    const value = object.type === "Identifier" ? constants.get(object["name"] as string) : object;
    const regex = value?.["regex"] as { pattern: string } | undefined;
    if (property["name"] === "source" && regex !== undefined) return regex.pattern;
  }
  return replaceUnknown(node);
}

/** Returns the complexity of an accepted expression ("safe" or "linear"), or the reason for its rejection. */
export async function analyzeRegex({
  source,
  flags,
}: Pick<FoundRegex, "source" | "flags">): Promise<{ accepted?: string; rejected?: string }> {
  const verdict = await check(source, flags, { timeout: TIMEOUT_MS });
  if (verdict.status === "safe") return { accepted: verdict.complexity.summary };
  if (verdict.status === "unknown") return { rejected: `cannot be analysed (${verdict.error.kind})` };
  return { rejected: `${verdict.complexity.summary}, for example ${verdict.attack.pattern}` };
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { write: { type: "boolean" }, all: { type: "boolean" } } });
  const recorded = JSON.parse(readFileSync(ACCEPTED, "utf8")) as Record<string, string>;
  const known = values.all ? {} : recorded;
  const accepted = new Map<string, string>();
  const problems: string[] = [];
  let unrecorded = 0;
  const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "packages/*/src/*.ts"], {
    cwd: root,
    encoding: "utf8",
  });
  const isScanned = (file: string) => !/^$|\.test(-d)?\.ts$|\/generated\//.test(file) && existsSync(path.join(root, file));
  for (const file of files.split("\n").filter(isScanned)) {
    const interpolated = INTERPOLATED[file] ?? {};
    const { found, unknown, used } = findRegexes(readFileSync(path.join(root, file), "utf8"), interpolated);
    for (const { line, expression } of unknown) {
      problems.push(
        `${file}:${line}: ${expression} in a pattern is not a constant: make it one, or add it to INTERPOLATED in scripts/redos.ts`,
      );
    }
    for (const expression of Object.keys(interpolated)) {
      if (!used.has(expression)) problems.push(`${file}: ${expression} is in INTERPOLATED, but in no pattern of the file`);
    }
    for (const regex of found) {
      const key = `/${regex.source}/${regex.flags}`;
      const complexity = known[key] ?? accepted.get(key);
      if (complexity !== undefined) {
        accepted.set(key, complexity);
        continue;
      }
      unrecorded++;
      const verdict = await analyzeRegex(regex);
      if (verdict.accepted !== undefined) accepted.set(key, verdict.accepted);
      else problems.push(`${file}:${regex.line}: ${key}: ${verdict.rejected}`);
    }
  }
  for (const problem of problems) console.error(problem);
  if (values.write) {
    const sorted = [...accepted].sort(([a], [b]) => (a < b ? -1 : 1));
    writeFileSync(ACCEPTED, `${JSON.stringify(Object.fromEntries(sorted), undefined, 2)}\n`);
  } else if (unrecorded > 0) console.log(`redos: ${unrecorded} new expressions were analysed; record them with npm run redos -- --write`);
  console.log(`redos: ${accepted.size} regular expressions are linear, ${problems.length} problems`);
  // The analyser's child process would keep this one alive.
  process.exit(problems.length > 0 ? 1 : 0);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
