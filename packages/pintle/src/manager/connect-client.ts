import { type Client, createClient, createTransport, loadClusterAccess, RequestError, type Transport } from "../client/index.ts";
import type { Clock, Random } from "../clock/index.ts";
import type { Logger } from "../controller/index.ts";

/** Called after every request, in its span, with the HTTP status or "<error>", and the milliseconds until the response began. */
export type RequestObserver = (code: string, method: string, host: string, took: number) => void;

export interface ConnectClientOptions {
  readonly kubeconfig: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly onRequest: RequestObserver;
}

/** Connects to the cluster of the kubeconfig or the pod. Requests are counted, and warnings of the API server are logged once per text. */
export async function connectClient({ kubeconfig, clock, random, logger, onRequest: answered }: ConnectClientOptions): Promise<Client> {
  const access = await loadClusterAccess({ kubeconfig });
  const transport = countRequests(await createTransport(access, { clock: clock, random }), new URL(access.server).host, clock, answered);
  const warned = new Set<string>();
  const onWarning = ({ text, request }: { readonly text: string; readonly request: string }) => {
    if (warned.has(text)) return;
    warned.add(text);
    logger.warn("API server warning", { warning: text, request });
  };
  return createClient(transport, { namespace: access.namespace, clock: clock, random, onWarning });
}

/** Returns a transport that reports every request. */
export function countRequests(transport: Transport, host: string, clock: Clock, onRequest: RequestObserver): Transport {
  return {
    ...transport,
    async request(request) {
      const started = clock.monotonic();
      try {
        const response = await transport.request(request);
        onRequest(String(response.status), request.method, host, clock.monotonic() - started);
        return response;
      } catch (error) {
        if (error instanceof RequestError) onRequest("<error>", request.method, host, clock.monotonic() - started);
        throw error;
      }
    },
  };
}
