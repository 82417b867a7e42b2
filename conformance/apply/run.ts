import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startControlPlane } from "../real/index.ts";
import { builtIn } from "./built-in.ts";
import { type Outcome, sequence } from "./sequence.ts";
import { type Server, server } from "./server.ts";
import type { Subject } from "./step.ts";
import { widget, widgetDefinition } from "./widget.ts";
import { deployments, pods, services } from "./workloads.ts";

const help = `Compares apply, updates and patches with a real API server, history by history.

Usage: npm run conformance:apply -- [--sequences 500] [--seed 1] [--kind widgets]
`;

const { values } = parseArgs({
  options: {
    sequences: { type: "string", default: "500" },
    seed: { type: "string", default: "1" },
    kind: { type: "string" },
    help: { type: "boolean" },
  },
});
if (values.help) {
  process.stdout.write(help);
  process.exit();
}

const disableAdmissionPlugins = ["ServiceAccount", "Priority", "DefaultTolerationSeconds"];
await using plane = await startControlPlane({ disableAdmissionPlugins });
const real = await server(plane.kubeconfig);
await established(real);
const all: readonly Subject[] = [widget, ...(await Promise.all([deployments, services, pods].map((kind) => builtIn(kind, real))))];
const subjects = all.filter(({ name }) => values.kind === undefined || values.kind === name);
for (const subject of subjects) await compareAll(subject, Number(values.seed), Number(values.sequences));
real.close();

async function compareAll(subject: Subject, first: number, count: number): Promise<void> {
  const counts = new Map<string, number>();
  const different: Outcome[] = [];
  let next = first;
  const started = Date.now();
  const worker = async () => {
    while (next < first + count) {
      const outcome = await sequence(subject, next++, real);
      for (const [label, n] of outcome.counts) counts.set(label, (counts.get(label) ?? 0) + n);
      if (outcome.difference !== undefined) different.push(outcome);
    }
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
  process.stdout.write(`${subject.name}: ${count - different.length} of ${count} histories alike in ${Math.round((Date.now() - started) / 1000)} s\n`);
  process.stdout.write(`  ${[...counts].sort().map(([label, n]) => `${label}: ${n}`).join(", ")}\n`);
  for (const { difference } of different) process.stdout.write(`  seed ${difference!.seed}: ${difference!.step.verb} ${difference!.why.slice(0, 120)}\n`);
  const shown = different.sort((a, b) => JSON.stringify(a.difference).length - JSON.stringify(b.difference).length).filter(({ difference }) => !difference!.why.includes("duplicate")).slice(0, 30);
  for (const { difference } of shown) process.stdout.write(`\n${JSON.stringify({ ...difference, why: undefined }, null, 1)}\n${difference!.why}\n`);
  if (different.length > 0) process.exitCode = 1;
}

async function established(real: Server): Promise<void> {
  await real.send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", widgetDefinition);
  for (let i = 0; i < 200; i++) {
    const answer = await real.send("GET", widget.collection(widget.apiVersions[1]!));
    if (answer.code === 200) return;
    await delay(50);
  }
  throw new Error("The Widget CRD was not established within 10 s");
}
