import { rmSync } from "node:fs";
import type { Cluster } from "@pintle/cluster";
import { CommandError } from "../command.ts";
import { control, type Wish } from "./control.ts";
import { running } from "./running.ts";
import { snapshotText } from "./snapshot-file.ts";
import { removeState, writeState } from "./state-file.ts";

export interface Attended {
  /** By which others find the cluster. */
  readonly kubeconfig: string;
  /** Starts it; `at` is the address it had before a reset. */
  start(at: string | undefined): Promise<Cluster>;
  /** Forgets what was kept, while it is stopped; undefined where that is not ours to forget. */
  readonly wipe: (() => void) | undefined;
  /** Told once it is up. */
  up(cluster: Cluster): void;
  /** Whether the kubeconfig stays when the cluster goes, because it leads to one that will be there again. */
  readonly keep: boolean;
  readonly signal: AbortSignal;
}

/** Keeps a cluster up until the signal, or somebody, says stop. */
export async function attend({ kubeconfig, start, wipe, up, keep, signal }: Attended): Promise<void> {
  if ((await running(kubeconfig)) !== undefined) {
    throw new CommandError(
      `pintle cluster up: a cluster of ${kubeconfig} is up already: stop it with pintle cluster down, or give this one another --kubeconfig`,
    );
  }
  let cluster: Cluster | undefined = await start(undefined);
  let last: Wish | undefined;
  let written = false;
  try {
    await using desk = await control();
    try {
      await write(cluster, kubeconfig);
      written = true;
      writeState(kubeconfig, { control: desk.address, token: desk.token, url: cluster.url });
      up(cluster);
      while (last === undefined) {
        const wish: Wish = await desk.next(signal);
        if (wish.verb === "stop") last = wish;
        else if (wish.verb === "snapshot") wish.done(snapshotText(cluster.snapshot()));
        else if (wish.verb === "reset" && wipe === undefined) wish.failed("its objects are not kept here: empty the place they are in");
        else if (wish.verb === "reset") {
          const { url } = cluster;
          await cluster.stop();
          cluster = undefined;
          wipe?.();
          cluster = await start(url);
          await write(cluster, kubeconfig);
          writeState(kubeconfig, { control: desk.address, token: desk.token, url: cluster.url });
          wish.done(cluster.url);
        } else if (wish.verb === "ping") wish.done(cluster.url);
        else wish.failed(`there is no ${wish.verb}`);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      if (written) removeState(kubeconfig, desk.token);
      if (written && !keep) rmSync(kubeconfig, { force: true });
      await cluster?.stop();
      cluster = undefined;
      last?.done();
    }
  } finally {
    await cluster?.stop();
  }
}

async function write(cluster: Cluster, kubeconfig: string): Promise<void> {
  await cluster.writeKubeconfig(kubeconfig).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`pintle cluster up: ${kubeconfig} cannot be written (${error.code}): choose another --kubeconfig`);
  });
}
