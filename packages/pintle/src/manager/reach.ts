import { type Client, clientOver, locate, RequestError, type Transport, transportTo } from "../client/index.ts";
import type { Logger } from "../controller/index.ts";
import type { Clock, Random } from "../queue/index.ts";

/** Hears of every request that was answered or lost. */
export type RequestObserver = (code: string, method: string, host: string) => void;

export interface ReachOptions {
  readonly kubeconfig: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly answered: RequestObserver;
}

/** A client of our own: its requests are counted, and what the server warns of goes to the log, once per text. */
export async function reach({ kubeconfig, clock, random, logger, answered }: ReachOptions): Promise<Client> {
  const access = await locate({ kubeconfig });
  const transport = countedTransport(await transportTo(access, { timing: clock, random }), new URL(access.server).host, answered);
  const warned = new Set<string>();
  const onWarning = ({ text, request }: { readonly text: string; readonly request: string }) => {
    if (warned.has(text)) return;
    warned.add(text);
    logger.warn("the server warns", { warning: text, request });
  };
  return clientOver(transport, { namespace: access.namespace, timing: clock, random, onWarning });
}

/** The same transport, which tells of every request. */
export function countedTransport(transport: Transport, host: string, answered: RequestObserver): Transport {
  return {
    ...transport,
    async request(request) {
      try {
        const response = await transport.request(request);
        answered(String(response.status), request.method, host);
        return response;
      } catch (error) {
        if (error instanceof RequestError) answered("<error>", request.method, host);
        throw error;
      }
    },
  };
}
