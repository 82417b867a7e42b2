/**
 * Keeps private vocabulary out of the code base: metaphors that were replaced by terms of the field, and pronouns that hide the actor. Scans
 * identifiers, comments, strings and prose alike, because test titles, log lines and CLI texts are strings. `npm run vocabulary`.
 *
 * The list is short on purpose: words that have no honest use here. A word with an honest use in one place goes to EXCEPTIONS.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** Denied word -> what to write instead. Matched as whole words of prose and as parts of camelCase, snake_case and kebab-case names. */
export const DENIED: Readonly<Record<string, string>> = {
  anew: "again, or a verb with re-",
  anybody: "the actor: any client, any user",
  besiege: "fuzz, load",
  eyes: "event sources",
  knock: "probe, handshake",
  lane: "connection",
  lanes: "connections",
  ledger: "mvcc store",
  lookout: "reconcile pass",
  nobody: "the actor: no client, no controller",
  passenger: "waiter",
  plant: "controller dependencies, context",
  shelf: "value arena",
  shelved: "off-heap",
  somebody: "the actor: a client, another controller",
  someone: "the actor: a client, another controller",
  surroundings: "dependencies, context",
  whoever: "the actor: the caller, the client that ...",
};

/** Places where a denied word is the right one. */
const EXCEPTIONS: readonly { readonly file: RegExp; readonly words: readonly string[] }[] = [
  { file: /^scripts\/vocabulary(\.test)?\.ts$/, words: Object.keys(DENIED) },
  // Old names, which users look up and `pintle upgrade` replaces.
  { file: /^(docs\/upgrading\.md|packages\/cli\/src\/upgrade\/renamed-symbols\.ts)$/, words: Object.keys(DENIED) },
  // The example project manages libraries with shelves.
  { file: /^conformance\/envtest\/project\//, words: ["shelf"] },
  // The name of a user or pod that does not exist, in commands whose recorded output contains it.
  { file: /^conformance\/(kubectl\/chapters\/(access|create)\.yaml|streams\/(session|top\.test)\.ts)$/, words: ["nobody"] },
  // The same in requests whose recorded responses of a real server contain it.
  { file: /^packages\/cluster\/test\/(access\/(decisions|tokens)\.ts|codec\/objects\.yaml)$/, words: ["nobody"] },
];

const SCANNED = /\.(ts|mts|js|mjs|md|sh|ya?ml|go|py|rs)$|^\.ci\/run$/;
const SKIPPED = /(^|\/)(generated|golden|answers|recorded|node_modules|dist|docs\/api)\/|^(CHANGELOG\.md|package-lock\.json)$/;

export interface Finding {
  readonly line: number;
  readonly word: string;
}

/** The denied words of a text, with their line numbers. */
export function findDenied(text: string): readonly Finding[] {
  return text.split("\n").flatMap((content, index) =>
    wordsOf(content)
      .filter((word) => Object.hasOwn(DENIED, word))
      .map((word) => ({ line: index + 1, word })),
  );
}

/** "openEyes" -> open, eyes; "TCPLane" -> tcp, lane; "web-socket" -> web, socket. */
function wordsOf(line: string): readonly string[] {
  return line
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/);
}

function main(root: string): void {
  const tracked = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { cwd: root, encoding: "utf8" }).split(
    "\n",
  );
  const files = tracked.filter((file) => SCANNED.test(file) && !SKIPPED.test(file));
  let count = 0;
  for (const file of files) {
    const allowed = EXCEPTIONS.filter((exception) => exception.file.test(file)).flatMap(({ words }) => words);
    for (const name of findDenied(file)) report(file, 0, name.word);
    let text: string;
    try {
      text = readFileSync(path.join(root, file), "utf8");
    } catch {
      continue; // Deleted in the working tree.
    }
    for (const { line, word } of findDenied(text)) if (!allowed.includes(word)) report(file, line, word);
  }
  console.log(`vocabulary: ${files.length} files, ${count} denied words`);
  process.exitCode = count > 0 ? 1 : 0;

  function report(file: string, line: number, word: string): void {
    count++;
    console.error(`${file}${line === 0 ? "" : `:${line}`}: "${word}": write ${DENIED[word]}`);
  }
}

const self = fileURLToPath(import.meta.url);
if (process.argv[1] === self) main(process.argv[2] ?? path.dirname(path.dirname(self)));
