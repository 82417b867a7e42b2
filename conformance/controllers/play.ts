import type { Client } from "pintle/client";
import { Event, Namespace, ServiceAccount } from "pintle/kinds/core/v1";
import { full } from "../sampling.ts";
import { masker } from "./mask.ts";
import type { Scenario, World } from "./scenario.ts";
import type { Server } from "./servers.ts";
import { eventsIn, everything, snapshot } from "./snapshot.ts";

const PATIENCE = full ? 180_000 : 90_000;
const BETWEEN = 100;
const LOOKS = 6;

/** A scenario that has been played. */
export interface Played {
  /** By step: what was there after it. */
  readonly seen: ReadonlyMap<string, readonly string[]>;
  /** What has been said all in all. */
  events(): Promise<readonly string[]>;
}

export async function play({ client, quiet, name }: Server, scenario: Scenario): Promise<Played> {
  const namespace = `play-${scenario.name.replaceAll(/[^a-z0-9]+/g, "-")}`;
  const world = { client, namespace };
  const seen = new Map<string, readonly string[]>();
  const masks = masker(namespace);
  await client.create(Namespace, { metadata: { name: namespace } });
  await client.wait(ServiceAccount, { name: "default", namespace }, () => true, { timeout: PATIENCE });
  for (const step of scenario.steps) {
    await step.act(world);
    const what = `${name}: ${scenario.name}: ${step.name}`;
    await eventually(what, world, step.until);
    await atRest(what, quiet, async () => (await everything(client, namespace)).map(({ metadata }) => metadata.resourceVersion).join());
    seen.set(step.name, await snapshot(client, namespace, masks));
  }
  return { seen, events: () => eventsIn(client, namespace, masks) };
}

/** Events come later than what they tell of, the more so the more there are: waits until no more come. */
export async function saidAll({
  client,
  quiet,
  name,
}: {
  readonly client: Client;
  readonly quiet: number;
  readonly name: string;
}): Promise<void> {
  await atRest(`${name}: events`, quiet, async () => `${(await client.list(Event)).items.length}`);
}

async function eventually(what: string, world: World, until: (world: World) => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + PATIENCE; !(await until(world)); ) {
    if (Date.now() > end) {
      const masks = masker(world.namespace);
      const there = [...(await snapshot(world.client, world.namespace, masks)), ...(await eventsIn(world.client, world.namespace, masks))];
      throw new Error(`${what}: did not come about. There is:\n${there.join("\n")}`);
    }
    await pause(BETWEEN);
  }
}

/** Waits until nothing has changed for a while and a few looks: on a busy machine time alone does not say that everybody had a turn. */
async function atRest(what: string, quiet: number, look: () => Promise<string>): Promise<void> {
  let before = await look();
  let since = Date.now();
  let alike = 0;
  for (const end = Date.now() + PATIENCE; alike < LOOKS || Date.now() - since < quiet; ) {
    if (Date.now() > end) throw new Error(`${what}: does not come to rest`);
    await pause(BETWEEN);
    const now = await look();
    alike = now === before ? alike + 1 : 0;
    if (now !== before) since = Date.now();
    before = now;
  }
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
