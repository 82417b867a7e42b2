import { setTimeout as delay } from "node:timers/promises";
import { kubelets, users } from "../../packages/cluster/test/access/rbac-fixtures.ts";
import type { ScenarioTarget } from "../../packages/cluster/test/access/scenario.ts";
import { startRealServer } from "./servers.ts";

/** The RBAC authorizer follows roles through a watch and does not report when it has caught up. */
const AUTHORIZER_LAG_MS = 400;
/** kube-apiserver caches a successful token authentication for ten seconds. */
const TOKEN_CACHE_MS = 10_500;

/** Starts a real kube-apiserver with the users of the scenarios. */
export async function startRealTarget(): Promise<ScenarioTarget & AsyncDisposable> {
  const real = await startRealServer({ ...users, ...kubelets });
  return {
    send: real.send,
    policySettled: () => delay(AUTHORIZER_LAG_MS),
    tokenCacheExpired: () => delay(TOKEN_CACHE_MS),
    [Symbol.asyncDispose]: real.stop,
  };
}
