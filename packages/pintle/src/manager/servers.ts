import type { Client } from "../client/index.ts";
import type { Logger } from "../controller/index.ts";
import { aborter, type Clock } from "../queue/index.ts";
import type { KeyPair } from "../tls/index.ts";
import { certificate } from "./certificate.ts";
import { guard } from "./guard.ts";
import { type Answer, addressOf, type Listening, listen, listenSecurely } from "./listen.ts";
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

export interface MetricsTools {
  readonly registry: Registry;
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** `/metrics`, for everyone or for those whom the API server lets read it; in the clear or not. */
export async function serveMetrics(options: MetricsOptions, tools: MetricsTools): Promise<Listening | undefined> {
  const { registry, client, clock, logger } = tools;
  const at = addressOf(options.address);
  if (at === undefined) return undefined;
  const refusal = options.guarded === true ? guard(client, clock) : async () => undefined;
  const answer: Answer = async ({ headers }, { pathname }) => {
    if (pathname !== "/metrics") return undefined;
    const refused = await refusal(headers.authorization, pathname);
    if (refused !== undefined) return { status: refused, body: refused === 401 ? "Unauthorized\n" : "Forbidden\n" };
    return { status: 200, body: registry.text(), type: PROMETHEUS };
  };
  // A bearer token is not sent in the clear.
  const { tls = options.guarded === true } = options;
  if (tls === false) return listen(at, answer);
  const over = aborter();
  let replace = (_: KeyPair) => {};
  const pair = await certificate(tls === true ? undefined : tls, { clock, logger, signal: over.signal }, (next) => replace(next));
  const server = await listenSecurely(at, pair, answer);
  replace = server.replace;
  return {
    port: server.port,
    async close() {
      over.abort();
      await server.close();
    },
  };
}
