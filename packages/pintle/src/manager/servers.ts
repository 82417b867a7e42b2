import type { Client } from "../client/index.ts";
import type { Logger } from "../controller/index.ts";
import type { Clock } from "../queue/index.ts";
import { guard } from "./guard.ts";
import { addressOf, type Listening, listen } from "./listen.ts";
import type { MetricsOptions } from "./options.ts";
import { type Checks, probe } from "./probes.ts";
import type { Registry } from "./registry.ts";

const PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

/** `/healthz` and `/readyz`. */
export async function serveHealth(address: string, health: Checks, ready: Checks, logger: Logger): Promise<Listening | undefined> {
  const at = addressOf(address);
  if (at === undefined) return undefined;
  const failed = (endpoint: string) => (check: string, why: string) => logger.info("not well", { endpoint, check, why });
  return listen(at, (_, url) => probe("/healthz", health, url, failed("healthz")) ?? probe("/readyz", ready, url, failed("readyz")));
}

/** `/metrics`, for everyone or for those whom the API server lets read it. */
export async function serveMetrics(
  options: MetricsOptions,
  registry: Registry,
  client: Client,
  clock: Clock,
): Promise<Listening | undefined> {
  const at = addressOf(options.address);
  if (at === undefined) return undefined;
  const refusal = options.guarded === true ? guard(client, clock) : async () => undefined;
  return listen(at, async ({ headers }, { pathname }) => {
    if (pathname !== "/metrics") return undefined;
    const refused = await refusal(headers.authorization, pathname);
    if (refused !== undefined) return { status: refused, body: refused === 401 ? "Unauthorized\n" : "Forbidden\n" };
    return { status: 200, body: registry.text(), type: PROMETHEUS };
  });
}
