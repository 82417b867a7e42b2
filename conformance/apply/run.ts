import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startControlPlane } from "../real/index.ts";
import { comparedKinds } from "./compared-kinds.ts";
import { type Exchange, type History, runHistory } from "./history.ts";
import { writeRecordings } from "./recordings.ts";
import { type ApplyServer, connectServer } from "./server.ts";
import type { ComparedKind } from "./step.ts";
import { widget, widgetDefinition } from "./widget.ts";

const help = `Compares apply, updates and patches with a real API server, history by history.

Usage: node --conditions=@pintle/source --import tsx conformance/apply/run.ts [options]

  --kind <name>      only ${comparedKinds.map(({ name }) => name).join(", ")}
  --histories <n>    number of histories of each kind (default 500)
  --seed <n>         seed of the first history; the following ones count up
  --record           record the histories for the test that needs no real server
`;
const { values } = parseArgs({
  options: {
    kind: { type: "string" },
    histories: { type: "string", default: "500" },
    seed: { type: "string", default: "1" },
    record: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (values.help) process.stdout.write(help);
else await main();

async function main(): Promise<void> {
  // These plugins change a pod after managedFields are updated, which the embedded code cannot know here.
  await using plane = await startControlPlane({ disableAdmissionPlugins: ["ServiceAccount", "Priority", "DefaultTolerationSeconds"] });
  const real = await connectServer(plane.kubeconfig);
  await installWidgetCrd(real);
  const recorded: Record<string, readonly (readonly Exchange[])[]> = {};
  for (const subject of comparedKinds.filter(({ name }) => values.kind === undefined || values.kind === name)) {
    const histories = await compareKind(subject, real);
    report(subject, histories);
    recorded[subject.name] = histories.map(({ exchanges }) => exchanges);
    if (histories.some(({ difference }) => difference !== undefined)) process.exitCode = 1;
  }
  if (values.record) await writeRecordings(recorded);
  real.close();
}

async function compareKind(subject: ComparedKind, real: ApplyServer): Promise<readonly History[]> {
  const first = Number(values.seed);
  const end = first + Number(values.histories);
  const done: History[] = [];
  let next = first;
  const worker = async () => {
    while (next < end) done.push(await runHistory(subject, next++, real));
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
  return done.sort((a, b) => a.seed - b.seed);
}

function report({ name }: ComparedKind, histories: readonly History[]): void {
  const different = histories.filter(({ difference }) => difference !== undefined);
  const answers = new Map<string, number>();
  for (const { step, answer } of histories.flatMap(({ exchanges }) => exchanges)) {
    const label = `${step.verb}${step.subresource && `/${step.subresource}`} ${answer.code}`;
    answers.set(label, (answers.get(label) ?? 0) + 1);
  }
  const counts = [...answers].sort().map(([label, n]) => `${label} ${n}x`);
  process.stdout.write(`${name}: ${histories.length - different.length} of ${histories.length} histories equal\n  ${counts.join(", ")}\n`);
  for (const { seed, difference } of different)
    process.stdout.write(`  seed ${seed}: ${difference?.slice(0, 100).replaceAll("\n", " ")}\n`);
  const [shortest] = different.toSorted((a, b) => JSON.stringify(a.exchanges).length - JSON.stringify(b.exchanges).length);
  if (shortest === undefined) return;
  const { seed, exchanges, difference } = shortest;
  const live = exchanges.findLast(({ answer }, i) => i < exchanges.length - 1 && answer.code < 300)?.answer.body;
  process.stdout.write(`\n${JSON.stringify({ seed, live, step: exchanges.at(-1)?.step }, null, 1)}\n${difference}\n`);
}

async function installWidgetCrd(real: ApplyServer): Promise<void> {
  await real.send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", widgetDefinition);
  for (let i = 0; i < 200; i++) {
    if ((await real.send("GET", widget.collection(widget.apiVersions[1]!))).code === 200) return;
    await delay(50);
  }
  throw new Error("The Widget CRD was not established within 10 s");
}
