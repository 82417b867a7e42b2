/**
 * `npm run contract`: what the runtime promises, and which test shows it. Writes docs/runtime-contract.md from the statements below and the
 * statement numbers at the start of test titles ("RT-10 resumes ...", "RT-3, RT-5 ...").
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const PAGE = join(root, "docs/runtime-contract.md");
const FOLDERS = ["packages/pintle/src", "packages/pintle/test", "conformance/runtime"];

/** By number: the promise and, where whole suites rather than numbered tests show it, one of their files. Numbers are never reused. */
export const STATEMENTS: Readonly<Record<string, readonly [promise: string, suite?: string]>> = {
  "RT-1": ["Two events for a queued key cause one reconcile; an event during a reconcile causes exactly one more"],
  "RT-2": ["A key is never reconciled twice at once; N workers reconcile N keys"],
  "RT-3": ["Failures are retried with backoff from 5 ms, doubling, up to 1000 s; success resets it"],
  "RT-4": ["requeueAfter fires once; an earlier event takes precedence"],
  "RT-5": ["A failure takes precedence over requeueAfter; a terminal error is counted, reported on the object and not retried"],
  "RT-6": ["A thrown error never ends the process, unless configured to"],
  "RT-7": ["The reconcile timeout aborts the signal and has its own counter"],
  "RT-8": ["Initial lists and resyncs have lower priority than live events; priority is kept across requeues, and a result may change it"],
  "RT-9": [
    "Workers start when every informer has synced and every handler has seen the initial list; an informer that does not sync is named",
  ],
  "RT-10": ["A dropped watch resumes from the last resourceVersion"],
  "RT-11": ["After 410 Gone the informer lists again; deletions missed meanwhile are delivered"],
  "RT-12": ["Bookmarks advance the resourceVersion from which a watch resumes"],
  "RT-13": ["Streaming lists are used where the server supports them, pages elsewhere"],
  "RT-14": ["Minutes of outage and 429 responses are survived with backoff"],
  "RT-15": ["One watch per kind and scope; neither a slow nor a failing handler affects another"],
  "RT-16": ["Namespace, label and field selectors are evaluated by the server"],
  "RT-17": ["Transforms run before objects are stored; managedFields are dropped, which is measurable in the heap"],
  "RT-18": ["An index returns the exact set, per namespace and across all namespaces"],
  "RT-19": ["Cached objects cannot be modified by callers, handlers, predicates or mappers"],
  "RT-20": ["Owners are matched by group and kind; a change of owner enqueues the old and the new one"],
  "RT-21": ["Impossible owners and second controllers are refused"],
  "RT-22": ["Apply, patches, dry run and subresources work"],
  "RT-23": ["One leader at a time; loss of the lease, release and skewed clocks are handled"],
  "RT-24": ["Stopping finishes running reconciles, in order; a second signal exits at once"],
  "RT-25": ["Webhooks are served before caches have synced", "packages/pintle/test/webhooks.test.ts"],
  "RT-26": ["Admission reviews are answered as controller-runtime answers them", "conformance/webhook/admission.test.ts"],
  "RT-27": ["Objects are converted through the hub version", "conformance/webhook/conversion.test.ts"],
  "RT-28": ["Certificates are reloaded without a restart", "conformance/webhook/certificates.test.ts"],
  "RT-29": ["Metrics have controller-runtime's names and are protected by authentication and authorization"],
  "RT-30": ["Health and readiness endpoints"],
  "RT-31": ["Kubernetes Events with series, annotations and the right API group"],
  "RT-32": ["A test environment of real components", "conformance/real/index.ts"],
  "RT-33": ["A missing CRD or permission is named and retried"],
  "RT-34": ["Own writes are read back at once, without waiting and without coupling writers"],
  "RT-35": ["A read of an undeclared kind fails at once; a forbidden request is an error; RBAC is derived"],
  "RT-36": ["One store per kind for typed, untyped and metadata-only views; nothing is copied"],
  "RT-37": ["Priorities without starvation; Retry-After is honoured"],
  "RT-38": ["Watches and namespaces can be added and removed at run time; optional kinds"],
  "RT-39": ["Every reconcile knows its reasons, in logs, metrics and spans"],
  "RT-40": ["A mapper that throws loses no event"],
  "RT-41": ["Webhook certificates without cert-manager", "conformance/webhook/certificates.test.ts"],
  "RT-42": ["Desired state is applied without needless requests"],
  "RT-43": [
    "A virtual clock, and a cluster that collects garbage and runs workloads",
    "packages/cluster/test/controllers/virtual-time.test.ts",
  ],
  "RT-44": ["An in-memory API server that passes the tests of a real one", "conformance/api/api.test.ts"],
  "RT-45": ["No global state: several managers can run in one process"],
  "RT-46": ["Cache metrics: objects, bytes, resourceVersion, age, lists, own writes, failed mappings"],
  "RT-47": ["Loss of the lease is survived in the process, without a write after the deadline"],
  "RT-48": ["Published benchmarks", "bench/README.md"],
  "RT-49": ["A blocked event loop keeps the lease, but not indefinitely; a busy queue yields to the event loop"],
  "RT-50": ["Large lists are streamed or paged, never one string"],
  "RT-51": ["Metadata-only watches and transforms keep a cache within a small heap"],
  "RT-52": ["When a reconcile ends, every request it started is aborted"],
  "RT-53": ["Resource versions are compared beyond 2^53"],
  "RT-54": ["A watch cannot fail silently"],
  "RT-55": ["Reads reflect own writes however late the watch is"],
  "RT-56": ["Returned children are applied and pruned, and cost no request once settled"],
  "RT-57": ["A change by another client that races an own write is always seen"],
  "RT-58": ["Backoff never gives up and is not reset by events"],
  "RT-59": ["CRD, type and validation come from one schema", "conformance/resource/definition.test.ts"],
  "RT-60": ["Fast tests on a real and an embedded server", "packages/cluster/test/testing/fixtures.test.ts"],
  "RT-61": ["simulate() runs a controller until it is settled"],
  "RT-62": ["Low memory use by default"],
  "RT-63": ["The presence of finalize() adds the finalizer"],
  "RT-64": ["Leader election gates writes and drains workers"],
  "RT-65": ["A live edit is not delayed by a large initial list"],
  "RT-66": ["One malformed object affects no other, and is reported by an Event and a counter"],
  "RT-67": ["Old and new state are both mapped to keys, also across a relist"],
  "RT-68": ["RBAC derived from code is sufficient", "conformance/runtime/rbac.test.ts"],
  "RT-69": ["Development mode", "packages/cli/test/dev.test.ts"],
  "RT-70": ["Ordering, readiness, and kinds that may not be installed"],
  "RT-71": ["Daemons and timers end with their object"],
  "RT-72": ["Metrics without a series per object"],
  "RT-73": ["Every public symbol is documented", "scripts/public-api.ts"],
  "RT-74": ["A missing permission is named, and granting it is sufficient"],
};

/** What is not promised, and why. */
const LIMITS: readonly string[] = [
  "A request that has already been sent when the lease expires cannot be taken back. No request starts after the deadline, which is `renewDeadline` after the start of the last successful renewal; the time from there to the end of the lease (5 s with the default timings) is what the network has to deliver it in. A process that is frozen in the microseconds between that check and the system call that sends counts as having sent: the kernel sends when it resumes. Among 200 pauses of a leader that writes all the time, on a machine with fifteen times more work than cores, this was observed twice; on a machine that keeps up, never.",
  "Durations of the lease are measured by the monotonic clock of each process. A machine that is suspended, rather than stopped or busy, may not count that time.",
  "Reads reflect own writes for create, replace, patch, apply and delete, and for the status. `deleteCollection`, `evict`, `bind`, `scale` and other subresources do not return the object: their effect is visible when the watch delivers it.",
  "A cache with a field selector shows an own write when the watch delivers it, because only the server can decide whether the object matches.",
  "A field of a built-in kind's status that was returned once and is left out later is removed only with the next write of that status.",
  "An operator that runs this repository's TypeScript sources renews its lease in the main thread, because Node's TypeScript loaders do not reach worker threads. The published package is JavaScript and renews the lease in a worker thread, however the operator's own sources are run.",
];

/** A test that shows one or more promises. */
export interface NumberedTest {
  readonly file: string;
  readonly title: string;
  readonly numbers: readonly string[];
}

/** Every test whose title starts with statement numbers. */
export function findNumberedTests(): readonly NumberedTest[] {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`),
  );
  return files
    .filter((name) => name.endsWith(".test.ts"))
    .sort()
    .flatMap((file) => {
      const text = readFileSync(join(root, file), "utf8");
      // The title is the first argument of a call, of `test(...)` or of what `test.for(...)` returns; that of `describe` names no test.
      return [...text.matchAll(/(?<!describe)\(\s*(["`])(RT-\d(?:(?!\1).)*)\1,/g)].map((found) => {
        const title = found[2]!;
        return { file, title, numbers: parseStatementNumbers(title) };
      });
    });
}

/** The numbers at the start of a title: "RT-3, RT-5 retries ..." -> RT-3, RT-5; "RT-10 to RT-12 ..." -> RT-10, RT-11, RT-12. */
export function parseStatementNumbers(title: string): readonly string[] {
  const [start = ""] = /^(?:RT-\d+(?: to RT-\d+)?(?:, )?)+/.exec(title) ?? [];
  return [...start.matchAll(/RT-(\d+)(?: to RT-(\d+))?/g)].flatMap(([, from, to]) => {
    const first = Number(from);
    return Array.from({ length: Number(to ?? from) - first + 1 }, (_, i) => `RT-${first + i}`);
  });
}

/** The text of docs/runtime-contract.md. */
export function renderPage(): string {
  const tests = findNumberedTests();
  const rows = Object.entries(STATEMENTS).map(([id, [promise, suite]]) => {
    const links = tests
      .filter(({ numbers }) => numbers.includes(id))
      .map(({ file, title }) => `[${title.replaceAll("|", "\\|")}](../${file})`);
    const shownBy = [...links, ...(suite === undefined ? [] : [`[${suite}](../${suite})`])];
    return `| ${id} | ${promise} | ${shownBy.join("<br>")} |`;
  });
  return [
    "# Runtime contract",
    "",
    "What the runtime guarantees, and the tests that show it. Generated by `npm run contract` from test titles; `npm test` checks that it is up to date.",
    "Tests below `conformance` run against a real API server, and with `--full` for as long as the guarantee says.",
    "",
    "| number | guarantee | shown by |",
    "| --- | --- | --- |",
    ...rows,
    "",
    "## Limits",
    "",
    ...LIMITS.map((limit) => `- ${limit}`),
    "",
  ].join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(PAGE, renderPage());
