import { cache } from "../../cache/index.ts";
import { AlreadyExists, type Client, Conflict, Forbidden } from "../../client/index.ts";
import { Secret } from "../../kinds/generated/core/v1.ts";
import { aborter, type Clock, type Random } from "../../queue/index.ts";
import type { KeyPair } from "../../tls/index.ts";
import type { Log } from "../log.ts";
import { due, type Held, type Lifetimes, leafExpiry, renewed } from "./held.ts";
import { injection, type Targets } from "./injection.ts";
import { heldIn, secretOf } from "./secret.ts";

export interface IssuedOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Where certificates are kept; every replica has the same. */
  readonly secret: { readonly namespace: string; readonly name: string };
  /** The names and addresses that the server is reached by. */
  readonly names: readonly string[];
  readonly targets: Targets;
  readonly lifetimes: Lifetimes;
  /** What to serve with from now on. */
  changed(pair: KeyPair): void;
}

export interface Issued {
  readonly pair: KeyPair;
  /** What is wrong, if anything. */
  check(): string | undefined;
  close(): Promise<void>;
}

const RETRY = 1_000;
const MOST_RETRY = 60_000;
/** Looked at again even if nothing is heard. */
const ROUND = 600_000;

/**
 * Certificates of our own: an authority and a leaf in a Secret, renewed in time by whichever replica comes first, and told to
 * everybody who must trust them. The others see a conflict, or the watch, and take what is there: there is only ever one.
 */
export async function issued(options: IssuedOptions): Promise<Issued> {
  const { client, clock, random, log, secret, names, lifetimes } = options;
  const over = aborter();
  const { signal } = over;
  let awake = () => {};
  let woken = false;
  const wake = () => {
    woken = true;
    awake();
  };
  const local = cache({
    client,
    clock,
    random,
    observer: {
      problem: (kind, _, trouble) =>
        trouble && log.warn("certificates for webhooks: a watch is in trouble", { kind: kind.kind, problem: trouble.message }),
    },
  });
  const told = injection(local, client, options.targets, wake);
  const watched = local.watch(Secret, { namespaces: [secret.namespace], fields: `metadata.name=${secret.name}` });
  watched.on(wake);

  let held: Held | undefined;
  /** Since when everybody has this bundle, as far as this replica knows. */
  let published: { readonly bundle: string; readonly since: number } | undefined;
  const isPublished = (bundle: string) => published?.bundle === bundle && clock.now() - published.since >= lifetimes.overlap / 2;

  /** What the Secret holds, renewed if it is time; the answer is what is stored, whoever stored it. */
  const current = async (): Promise<Held> => {
    for (;;) {
      const found = await client.find(Secret, secret, { signal });
      const stored = found === undefined ? undefined : heldIn(found);
      // A Secret that somebody took away or emptied gets back what is served: nobody has to trust anything new.
      const kept = stored ?? held;
      const wanted = renewed(kept, { now: clock.now(), names, lifetimes, published: kept !== undefined && isPublished(kept.bundle) });
      if (stored !== undefined && wanted === stored) return stored;
      const { annotations, data } = secretOf(wanted);
      try {
        if (found === undefined) await client.create(Secret, { metadata: { ...secret, annotations }, data }, { signal });
        else {
          const metadata = { ...found.metadata, annotations: { ...found.metadata.annotations, ...annotations } };
          await client.replace(Secret, { ...found, metadata, data: { ...found.data, ...data } } as never, { signal });
        }
        log.info("certificates for webhooks were issued", { secret: `${secret.namespace}/${secret.name}` });
        return wanted;
      } catch (error) {
        // Another replica was faster: what it stored counts.
        if (!(error instanceof Conflict) && !(error instanceof AlreadyExists)) throw explained(error, found === undefined, secret);
      }
    }
  };
  const pass = async () => {
    if (held !== undefined) await tell(held.bundle);
    const before = held;
    held = await current();
    if (held.bundle !== before?.bundle) await tell(held.bundle);
    if (before !== undefined && held.leaf.certificate !== before.leaf.certificate) {
      options.changed(held.leaf);
      log.info("the certificate of the webhooks was replaced", { good: new Date(leafExpiry(held)).toISOString() });
    }
  };
  const tell = async (bundle: string) => {
    const complete = await told.inject(bundle, signal);
    if (!complete) published = undefined;
    else if (published?.bundle !== bundle) published = { bundle, since: clock.now() };
  };
  const pause = async (longest: number) => {
    const left = aborter(signal);
    awake = () => left.abort();
    if (!woken) await clock.sleep(longest, left.signal).catch(() => {});
    awake = () => {};
    woken = false;
  };
  let problem: string | undefined;
  const follow = async () => {
    let failures = 0;
    while (!signal.aborted) {
      try {
        await pass();
        [failures, problem] = [0, undefined];
        // What is due but waits for the bundle to be known is looked at again soon.
        const soonest = published === undefined ? RETRY : lifetimes.overlap / 2;
        await pause(Math.min(ROUND, Math.max(due(held!, lifetimes) - clock.now(), Math.min(soonest, RETRY))));
      } catch (error) {
        if (signal.aborted) return;
        problem = error instanceof Error ? error.message : String(error);
        log.warn("certificates for webhooks cannot be kept up", { error });
        await clock.sleep(Math.min(MOST_RETRY, RETRY * 2 ** failures++), signal).catch(() => {});
      }
    }
  };
  held = await current().catch(async (error: unknown) => {
    over.abort();
    await local.stop();
    throw error;
  });
  const following = follow();
  return {
    pair: held.leaf,
    check: () =>
      held !== undefined && leafExpiry(held) <= clock.now() ? `the certificate has expired: ${problem ?? "not renewed yet"}` : undefined,
    async close() {
      over.abort();
      await following;
      await local.stop();
    },
  };
}

function explained(error: unknown, missing: boolean, { namespace, name }: IssuedOptions["secret"]): unknown {
  if (!(error instanceof Forbidden) || !missing) return error;
  return new Error(
    `Secret ${namespace}/${name} for the certificates of webhooks is not there, and may not be made: install it, empty, as \`pintle generate\` writes it`,
    {
      cause: error,
    },
  );
}
