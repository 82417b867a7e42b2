import { setTimeout as delay } from "node:timers/promises";
import type { Target } from "../../packages/cluster/test/access/script.ts";
import { users } from "../../packages/cluster/test/access/world.ts";
import { realServer } from "./servers.ts";

/** Its authorizer follows roles through a watch; nothing tells when it has caught up. */
const CAUGHT_UP = 400;
/** It trusts a good token for ten seconds. */
const FORGOTTEN = 10_500;

/** A real kube-apiserver that knows the users of the scripts. */
export async function realTarget(): Promise<Target & AsyncDisposable> {
  const real = await realServer(users);
  return {
    send: real.send,
    settled: () => delay(CAUGHT_UP),
    forgotten: () => delay(FORGOTTEN),
    [Symbol.asyncDispose]: real.stop,
  };
}
