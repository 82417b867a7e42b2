import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface Line extends AsyncDisposable {
  readonly endpoint: string;
  /** Ends what goes on, and lets nobody through. */
  cut(): void;
  mend(): void;
}

/** A line to somebody that can be cut. */
export async function cuttable(endpoint: string): Promise<Line> {
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
  const cut = () => {
    open = false;
    for (const each of sockets) each.destroy();
  };
  return {
    endpoint: `${protocol}//127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    mend() {
      open = true;
    },
    async [Symbol.asyncDispose]() {
      cut();
      server.close();
    },
  };
}
