/**
 * `npm run contract`: what the runtime promises, and which test shows it. Writes docs/runtime-contract.md from the statements
 * below and the numbers in the names of tests ("c-r 7.10", "better 4", "idea 1", "Node 1").
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const PAGE = join(root, "docs/runtime-contract.md");
const FOLDERS = ["packages/pintle/src", "packages/pintle/test", "conformance/runtime"];

/** Statement by number; those that are another part's work name the issue that shows them. */
export const STATEMENTS: Readonly<Record<string, readonly [says: string, issue?: number]>> = {
  "c-r 7.1": ["Two events for a queued key are one run; one during a run is exactly one more"],
  "c-r 7.2": ["A key never runs twice at once; N workers run N keys"],
  "c-r 7.3": ["Failures are retried after 5 ms, doubling, up to 1000 s; success starts over"],
  "c-r 7.4": ["requeueAfter fires once; an earlier event wins"],
  "c-r 7.5": ["A failure beats requeueAfter; a terminal failure is counted, told on the object and not retried"],
  "c-r 7.6": ["A throw never ends the process, unless it is asked to"],
  "c-r 7.7": ["The reconcile timeout aborts the signal and has its own counter"],
  "c-r 7.8": ["First lists and resyncs run after live changes; priority is kept, and a result may change it"],
  "c-r 7.9": ["Work starts when every watch has listed and every handler has seen it; a late one is named"],
  "c-r 7.10": ["A dropped watch goes on where it was"],
  "c-r 7.11": ["After 410 everything is listed again; deletions missed meanwhile are told"],
  "c-r 7.12": ["Bookmarks move the place to go on from"],
  "c-r 7.13": ["Streaming lists where there are any, pages elsewhere"],
  "c-r 7.14": ["Minutes of outage and 429s are waited out"],
  "c-r 7.15": ["One stream per kind and scope; neither a slow nor a failing handler disturbs another"],
  "c-r 7.16": ["Namespaces, labels and fields are selected by the server"],
  "c-r 7.17": ["Transforms run before storage; managedFields are dropped, which shows in the heap"],
  "c-r 7.18": ["Indexes hold the exact set, per namespace and across all"],
  "c-r 7.19": ["What is read cannot be changed, by callers, handlers, filters or mappers"],
  "c-r 7.20": ["Owners are found by group and kind; moving wakes old and new"],
  "c-r 7.21": ["Impossible owners and second controllers are refused"],
  "c-r 7.22": ["Apply, patches, dry run, subresources"],
  "c-r 7.23": ["One leader at a time; loss, release and skewed clocks are handled"],
  "c-r 7.24": ["Stopping finishes what runs, in order; a second signal ends at once"],
  "c-r 7.25": ["Webhooks answer before caches are synced", 9],
  "c-r 7.26": ["Admission reviews", 9],
  "c-r 7.27": ["Conversion through the hub", 9],
  "c-r 7.28": ["Certificates are replaced without a restart", 9],
  "c-r 7.29": ["Metrics under controller-runtime's names, guarded"],
  "c-r 7.30": ["Health endpoints"],
  "c-r 7.31": ["Kubernetes Events with series, annotations and the right group"],
  "c-r 7.32": ["A test environment of real parts", 3],
  "c-r 7.33": ["A missing CRD or permission is named and retried"],
  "better 1": ["Own writes are read back at once, without waiting and without coupling writers"],
  "better 2": ["Undeclared reads fail at once; forbidden is an error; RBAC is derived"],
  "better 3": ["One store per kind for typed, dynamic and metadata views; nothing is copied"],
  "better 4": ["Priorities without starvation; Retry-After is honoured"],
  "better 5": ["Watches and namespaces come and go at run time; optional kinds"],
  "better 6": ["Every run knows why, in logs, metrics and spans"],
  "better 7": ["A mapper that throws loses nothing"],
  "better 8": ["Webhook certificates without cert-manager", 9],
  "better 9": ["Desired state is applied without needless requests"],
  "better 10": ["A virtual clock; a cluster that collects garbage and runs workloads", 7],
  "better 11": ["An in-memory API server that passes the real one's tests", 5],
  "better 12": ["No globals: several managers in a process"],
  "better 13": ["Cache metrics: objects, bytes, version, age, lists, own writes, what could not be mapped"],
  "better 14": ["Loss of the lease is survived in the process, without a write too many"],
  "better 15": ["Published benchmarks", 12],
  "Node 1": ["A blocked event loop keeps the lease, but not for ever; a busy queue lets it turn"],
  "Node 2": ["Large lists are streams or pages, never one string"],
  "Node 3": ["Metadata alone, and transforms, keep a cache within a small heap"],
  "Node 4": ["A run that is over ends every call it made"],
  "Node 5": ["Resource versions are compared beyond 2^53"],
  "idea 1": ["A watch cannot die quietly"],
  "idea 2": ["Reads follow own writes however late the watch"],
  "idea 3": ["Returned children are applied, pruned, and cost nothing once settled"],
  "idea 4": ["A foreign change that races an own write is always seen"],
  "idea 5": ["Backoff never gives up and is not disturbed by events"],
  "idea 6": ["CRD, type and validator from one schema", 4],
  "idea 7": ["Fast tests on a real and an embedded server", 5],
  "idea 8": ["simulate() runs a controller to rest"],
  "idea 9": ["Lean memory by default"],
  "idea 10": ["A finalizer by the presence of finalize"],
  "idea 11": ["An election that gates and drains"],
  "idea 12": ["A fresh edit is not held up by a large start"],
  "idea 13": ["One bad object harms no other, and gets an Event and a count"],
  "idea 14": ["Old and new are mapped, also across a relist"],
  "idea 15": ["RBAC derived from code is enough", 10],
  "idea 16": ["Development mode", 10],
  "idea 17": ["Order, readiness, and kinds that may be missing"],
  "idea 18": ["Daemons and timers end with their object"],
  "idea 19": ["Metrics without a series per object"],
  "idea 20": ["Every public symbol is documented", 10],
  "idea 21": ["A missing permission is named, and granting it is enough"],
};

/** What is not promised, and why. */
const LIMITS: readonly string[] = [
  "A request that is already on the wire when the lease runs out cannot be taken back. None starts after the deadline, which is `renew` after the start of the last successful renewal; the time from there to the end of the lease (5 s with the default timings) is what the network has to deliver it in. A process that is frozen within the microseconds between that check and the system call that sends counts as on the wire: when it wakes, the kernel sends. Among 200 stops of a leader that writes all the time, on a machine with fifteen times more work than cores, that was seen twice; on one that keeps up, never.",
  "Durations of the lease are measured by the monotonic clock of each process. A machine that is suspended, rather than stopped or busy, may not count that time.",
  "Reads follow own writes for create, replace, patch, apply and delete, and for the status. `deleteCollection`, `evict`, `bind`, `scale` and other subresources do not answer with the object: what they did is seen when the watch shows it.",
  "A cache narrowed by a field selector shows an own write when the stream does, because only the server can tell whether it belongs there.",
  "Of a built-in kind's status, a field that was returned once and is left out later is removed only with the next write of that status.",
  "An operator that runs this repository's TypeScript sources renews its lease in the main thread, because Node's loaders for TypeScript do not reach a thread of its own. The published package is JavaScript and has its thread, however the operator's own sources are run.",
];

export interface Shown {
  readonly file: string;
  readonly name: string;
  readonly numbers: readonly string[];
}

/** Every test whose name begins with a number. */
export function numbered(): readonly Shown[] {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`),
  );
  return files
    .filter((name) => name.endsWith(".test.ts"))
    .sort()
    .flatMap((file) => {
      const text = readFileSync(join(root, file), "utf8");
      // The title is the first argument of a call, of `test(...)` or of what `test.for(...)` gives; of `describe` it names no test.
      return [...text.matchAll(/(?<!describe)\(\s*(["`])((?:c-r|better|idea|Node) \d(?:(?!\1).)*)\1,/g)].map((found) => {
        const name = found[2]!;
        return { file, name, numbers: numbersOf(name) };
      });
    });
}

/** "c-r 7.3, 7.5", "c-r 7.10-14", "better 4, idea 12", "idea 15, 21" at the start of a test's name. */
export function numbersOf(name: string): readonly string[] {
  const out: string[] = [];
  let list = "";
  const [start = ""] = /^(?:(?:(?:c-r|better|idea|Node) )?(?:7\.)?\d+(?:-\d+)?(?:, )?)+/.exec(name) ?? [];
  for (const [, given, major, from, to] of start.matchAll(/(c-r|better|idea|Node)? ?(7\.)?(\d+)(?:-(\d+))?/g)) {
    list = given ?? list;
    for (let n = Number(from); n <= Number(to ?? from); n++) out.push(`${list} ${major ?? ""}${n}`);
  }
  return out;
}

export function page(): string {
  const tests = numbered();
  const rows = Object.entries(STATEMENTS).map(([id, [says, issue]]) => {
    const links = tests
      .filter(({ numbers }) => numbers.includes(id))
      .map(({ file, name }) => `[${name.replaceAll("|", "\\|")}](../${file})`);
    const shownBy = [...links, ...(issue === undefined ? [] : [`issue ${issue}`])];
    return `| ${id} | ${says} | ${shownBy.join("<br>")} |`;
  });
  return [
    "# What the runtime promises",
    "",
    "Generated by `npm run contract` from the names of tests: do not edit. `npm test` checks that it is current.",
    "Numbers: `c-r` what equals controller-runtime, `better` what is better, `idea` what other frameworks do well, `Node` what Node needs.",
    "Tests in `conformance` run against a real API server; with `--full` for as long as the promise says.",
    "",
    "| number | promise | shown by |",
    "| --- | --- | --- |",
    ...rows,
    "",
    "## What it does not promise",
    "",
    ...LIMITS.map((limit) => `- ${limit}`),
    "",
  ].join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(PAGE, page());
