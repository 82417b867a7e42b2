import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

/** As long as kube-apiserver waits for its etcd. */
const PATIENCE = 20_000;
const AGAIN = 20;

/** Resolves when somebody listens at one of the addresses: what a script starts together need not be ready in order. */
export async function listening(addresses: readonly string[], patience = PATIENCE): Promise<void> {
  const end = performance.now() + patience;
  for (;;) {
    for (const address of addresses) if (await answers(new URL(address))) return;
    if (performance.now() > end) {
      throw new Error(`error creating storage factory: context deadline exceeded: nobody listens at ${addresses.join(", ")}`);
    }
    await delay(AGAIN);
  }
}

function answers({ hostname, port, protocol }: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const usual = protocol === "https:" ? 443 : 80;
    const socket = connect(Number(port) || usual, hostname.replace(/^\[|\]$/g, ""));
    const done = (answer: boolean) => () => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", done(true)).once("error", done(false));
  });
}
