import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface InterruptibleProxy extends AsyncDisposable {
  readonly endpoint: string;
  /** Closes open connections, and refuses new ones. */
  interrupt(): void;
  mend(): void;
}

/** Starts a TCP proxy to an endpoint, whose connections a test can sever. */
export async function startInterruptibleProxy(endpoint: string): Promise<InterruptibleProxy> {
  const { hostname, port, protocol } = new URL(endpoint);
  const sockets = new Set<Socket>();
  let open = true;
  const server = createServer((near) => {
    if (!open) return near.destroy();
    const far = connect(Number(port), hostname);
    for (const [each, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(each);
      each.on("error", () => {});
      each.on("close", () => {
        sockets.delete(each);
        other.destroy();
      });
      each.pipe(other);
    }
    return undefined;
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const interrupt = () => {
    open = false;
    for (const each of sockets) each.destroy();
  };
  return {
    endpoint: `${protocol}//127.0.0.1:${(server.address() as AddressInfo).port}`,
    interrupt,
    mend() {
      open = true;
    },
    async [Symbol.asyncDispose]() {
      interrupt();
      server.close();
    },
  };
}
