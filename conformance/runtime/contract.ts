/**
 * What the runtime promises, and which test shows it: writes docs/runtime-contract.md from the statements below and the
 * numbers in the names of tests ("c-r 7.10", "better 4", "idea 1", "Node 1"). Run it after adding a test:
 * `node --import tsx conformance/runtime/contract.ts`.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const HERE = ["packages/pintle/src", "packages/pintle/test", "conformance/runtime"];

/** Statement by number; those that are another part's work name the issue that shows them. */
const STATEMENTS: Readonly<Record<string, readonly [says: string, issue?: number]>> = {
  "c-r 7.1": ["Two events for a queued key are one run; one during a run is exactly one more"],
  "c-r 7.2": ["A key never runs twice at once; N workers run N keys"],
  "c-r 7.3": ["Failures are retried after 5 ms, doubling, up to 1000 s; success starts over"],
  "c-r 7.4": ["requeueAfter fires once; an earlier event wins"],
  "c-r 7.5": ["A failure beats requeueAfter; a terminal failure is counted and not retried"],
  "c-r 7.6": ["A throw never ends the process"],
  "c-r 7.7": ["The reconcile timeout aborts the signal and has its own counter"],
  "c-r 7.8": ["First lists and resyncs run after live changes; priority is kept"],
  "c-r 7.9": ["Work starts when every watch has listed and every handler has seen it; a late one is named"],
  "c-r 7.10": ["A dropped watch goes on where it was"],
  "c-r 7.11": ["After 410 everything is listed again; deletions missed meanwhile are told"],
  "c-r 7.12": ["Bookmarks move the place to go on from"],
  "c-r 7.13": ["Streaming lists where there are any, pages elsewhere"],
  "c-r 7.14": ["Minutes of outage and 429s are waited out"],
  "c-r 7.15": ["One stream per kind and scope; handlers do not disturb each other"],
  "c-r 7.16": ["Namespaces, labels and fields are selected by the server"],
  "c-r 7.17": ["Transforms run before storage; managedFields are dropped"],
  "c-r 7.18": ["Indexes hold the exact set"],
  "c-r 7.19": ["What is read cannot be changed"],
  "c-r 7.20": ["Owners are found by group and kind; moving wakes old and new"],
  "c-r 7.21": ["Impossible owners and second controllers are refused"],
  "c-r 7.22": ["Apply, patches, dry run, subresources", 4],
  "c-r 7.23": ["One leader at a time; loss, release and skewed clocks are handled"],
  "c-r 7.24": ["Stopping finishes what runs, in order"],
  "c-r 7.25": ["Webhooks answer before caches are synced", 9],
  "c-r 7.26": ["Admission reviews", 9],
  "c-r 7.27": ["Conversion through the hub", 9],
  "c-r 7.28": ["Certificates are replaced without a restart", 9],
  "c-r 7.29": ["Metrics under controller-runtime's names, guarded"],
  "c-r 7.30": ["Health endpoints"],
  "c-r 7.31": ["Kubernetes Events with series"],
  "c-r 7.32": ["A test environment of real parts", 3],
  "c-r 7.33": ["A missing CRD or permission is named and retried"],
  "better 1": ["Own writes are read back at once, without waiting and without coupling writers"],
  "better 2": ["Undeclared reads fail at once; forbidden is an error; RBAC is derived"],
  "better 3": ["One store per kind for full and metadata views; nothing is copied"],
  "better 4": ["Priorities without starvation; Retry-After is honoured"],
  "better 5": ["Watches and namespaces come and go at run time; optional kinds"],
  "better 6": ["Every run knows why"],
  "better 7": ["A mapper that throws loses nothing"],
  "better 8": ["Webhook certificates without cert-manager", 9],
  "better 9": ["Desired state is applied without needless requests"],
  "better 10": ["A virtual clock; a cluster that collects garbage and runs workloads", 7],
  "better 11": ["An in-memory API server that passes the real one's tests", 5],
  "better 12": ["No globals: several managers in a process"],
  "better 13": ["Cache metrics"],
  "better 14": ["Loss of the lease is survived in the process, without a write too many"],
  "better 15": ["Published benchmarks", 12],
  "Node 1": ["A busy queue lets the event loop turn"],
  "idea 1": ["A watch cannot die quietly"],
  "idea 2": ["Reads follow own writes however late the watch"],
  "idea 3": ["Returned children are applied, pruned, and cost nothing once settled"],
  "idea 4": ["A foreign change that races an own write is always seen"],
  "idea 5": ["Backoff never gives up and is not disturbed by events"],
  "idea 6": ["CRD, type and validator from one schema", 4],
  "idea 7": ["Fast tests on a real and an embedded server", 5],
  "idea 8": ["simulate() runs a controller to rest"],
  "idea 9": ["Lean memory by default", 12],
  "idea 10": ["A finalizer by the presence of finalize"],
  "idea 11": ["An election that gates and drains"],
  "idea 12": ["A fresh edit is not held up by a large start"],
  "idea 13": ["One bad object harms no other"],
  "idea 14": ["Old and new are mapped, also across a relist"],
  "idea 15": ["RBAC derived from code is enough", 10],
  "idea 16": ["Development mode", 10],
  "idea 17": ["Order, readiness, and kinds that may be missing"],
  "idea 18": ["Timers end with their object"],
  "idea 19": ["Metrics without a series per object"],
  "idea 20": ["Every public symbol is documented", 10],
  "idea 21": ["A missing permission is named, and granting it is enough"],
};

interface Shown {
  readonly file: string;
  readonly line: number;
  readonly name: string;
}

function shown(): Map<string, Shown[]> {
  const found = new Map<string, Shown[]>();
  const files = HERE.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`),
  );
  for (const file of files.filter((name) => name.endsWith(".test.ts")).sort()) {
    for (const [i, text] of readFileSync(join(root, file), "utf8").split("\n").entries()) {
      const [, name] = /^\s*(?:test|it)\(\s*(?:"|`)(.+?)(?:"|`),/.exec(text) ?? [];
      if (name === undefined) continue;
      for (const id of numbersOf(name)) found.set(id, [...(found.get(id) ?? []), { file, line: i + 1, name }]);
    }
  }
  return found;
}

/** "c-r 7.3, 7.5", "c-r 7.10-14", "better 4", "idea 1, 21" at the start of a test's name. */
export function numbersOf(name: string): string[] {
  const out: string[] = [];
  let list = "";
  for (const [, given, major, from, to] of name.matchAll(/(?:(c-r|better|idea|Node) |(?<=\d, ))(7\.)?(\d+)(?:-(\d+))?/g)) {
    list = given ?? list;
    for (let n = Number(from); n <= Number(to ?? from); n++) out.push(`${list} ${major ?? ""}${n}`);
  }
  return out;
}

function page(): string {
  const tests = shown();
  const rows = Object.entries(STATEMENTS).map(([id, [says, issue]]) => {
    const links = (tests.get(id) ?? []).map(({ file, line, name }) => `[${name.replaceAll("|", "\\|")}](../${file}#L${line})`);
    const elsewhere = issue === undefined ? [] : [`issue ${issue}`];
    const shownBy = [...links, ...elsewhere];
    return `| ${id} | ${says} | ${shownBy.length === 0 ? "not shown yet" : shownBy.join("<br>")} |`;
  });
  return [
    "# What the runtime promises",
    "",
    "Generated by `node --import tsx conformance/runtime/contract.ts` from the names of tests: do not edit.",
    "Numbers: `c-r` what equals controller-runtime, `better` what is better, `idea` what other frameworks do well, `Node` what Node needs.",
    "",
    "| number | promise | shown by |",
    "| --- | --- | --- |",
    ...rows,
    "",
  ].join("\n");
}

writeFileSync(join(root, "docs/runtime-contract.md"), page());
