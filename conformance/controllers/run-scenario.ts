import type { Client } from "pintle/client";
import { Event, Namespace, ServiceAccount } from "pintle/kinds/core/v1";
import { full } from "../sampling.ts";
import { createMasker } from "./mask.ts";
import type { Scenario, ScenarioContext } from "./scenario.ts";
import type { ControllersServer } from "./servers.ts";
import { listEvents, listObjects, takeSnapshot } from "./snapshot.ts";

const TIMEOUT_MS = full ? 180_000 : 90_000;
const POLL_INTERVAL_MS = 100;
const MIN_STABLE_READS = 6;

/** The result of a scenario on one server. */
export interface ScenarioResult {
  /** The objects after each step, by step name. */
  readonly snapshots: ReadonlyMap<string, readonly string[]>;
  /** Reads all events of the scenario. */
  events(): Promise<readonly string[]>;
}

export async function runScenario({ client, settleMs, name }: ControllersServer, scenario: Scenario): Promise<ScenarioResult> {
  const namespace = `play-${scenario.name.replaceAll(/[^a-z0-9]+/g, "-")}`;
  const context = { client, namespace };
  const snapshots = new Map<string, readonly string[]>();
  const masks = createMasker(namespace);
  await client.create(Namespace, { metadata: { name: namespace } });
  await client.waitFor(ServiceAccount, { name: "default", namespace }, () => true, { timeout: TIMEOUT_MS });
  for (const step of scenario.steps) {
    await step.act(context);
    const what = `${name}: ${scenario.name}: ${step.name}`;
    await waitForCondition(what, context, step.until);
    await waitUntilStable(what, settleMs, async () =>
      (await listObjects(client, namespace)).map(({ metadata }) => metadata.resourceVersion).join(),
    );
    snapshots.set(step.name, await takeSnapshot(client, namespace, masks));
  }
  return { snapshots, events: () => listEvents(client, namespace, masks) };
}

/** Waits until no more events are recorded; they are written with a delay. */
export async function waitForEvents({
  client,
  settleMs,
  name,
}: {
  readonly client: Client;
  readonly settleMs: number;
  readonly name: string;
}): Promise<void> {
  await waitUntilStable(`${name}: events`, settleMs, async () => `${(await client.list(Event)).items.length}`);
}

async function waitForCondition(
  what: string,
  context: ScenarioContext,
  until: (context: ScenarioContext) => Promise<boolean>,
): Promise<void> {
  for (const end = Date.now() + TIMEOUT_MS; !(await until(context)); ) {
    if (Date.now() > end) {
      const masks = createMasker(context.namespace);
      const there = [
        ...(await takeSnapshot(context.client, context.namespace, masks)),
        ...(await listEvents(context.client, context.namespace, masks)),
      ];
      throw new Error(`${what}: condition not met. Objects:\n${there.join("\n")}`);
    }
    await sleep(POLL_INTERVAL_MS);
  }
}

/** Waits until nothing has changed for some time and some reads: on a busy machine time alone does not show that every controller ran. */
async function waitUntilStable(what: string, settleMs: number, read: () => Promise<string>): Promise<void> {
  let before = await read();
  let since = Date.now();
  let stableReads = 0;
  for (const end = Date.now() + TIMEOUT_MS; stableReads < MIN_STABLE_READS || Date.now() - since < settleMs; ) {
    if (Date.now() > end) throw new Error(`${what}: does not become stable`);
    await sleep(POLL_INTERVAL_MS);
    const now = await read();
    stableReads = now === before ? stableReads + 1 : 0;
    if (now !== before) since = Date.now();
    before = now;
  }
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
