import { ConnectionError, type DuplexChannel } from "pintle/client";

/** Creates the two ends of a message channel in this process. */
export function createChannelPair(protocol: string, request: string, signal: AbortSignal): readonly [DuplexChannel, DuplexChannel] {
  const [requestQueue, responseQueue] = [createMessageQueue(), createMessageQueue()];
  const state: { over?: { readonly error?: unknown } } = {};
  const end = (how: { readonly error?: unknown } = {}) => {
    state.over ??= how;
    for (const each of [requestQueue, responseQueue]) each.close();
  };
  const onAbort = () => end({ error: signal.reason });
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();

  const createSide = (out: MessageQueue, inn: MessageQueue): DuplexChannel => ({
    protocol,
    async send(message) {
      if (state.over !== undefined) throw new ConnectionError({ message: `${request}: the two-way connection is closed`, request }, true);
      out.messages.push(message);
      out.notifyReceiver();
      await out.waitForCapacity();
    },
    async *messages() {
      try {
        for (;;) {
          const message = inn.messages.shift();
          if (message !== undefined) {
            inn.notifySenders();
            yield message;
          } else if (state.over === undefined) await inn.waitForMessage();
          else if ("error" in state.over) throw state.over.error;
          else return;
        }
      } finally {
        end();
      }
    },
    close() {
      signal.removeEventListener("abort", onAbort);
      end();
    },
  });
  return [createSide(requestQueue, responseQueue), createSide(responseQueue, requestQueue)];
}

/** How many messages are queued before `send` waits. */
const MAX_QUEUED = 16;

interface MessageQueue {
  readonly messages: Uint8Array[];
  waitForMessage(): Promise<void>;
  waitForCapacity(): Promise<void>;
  /** Wakes the receiver. */
  notifyReceiver(): void;
  /** Wakes the senders if the queue has capacity. */
  notifySenders(): void;
  /** Wakes everything that waits, because the channel is closed. */
  close(): void;
}

function createMessageQueue(): MessageQueue {
  const messages: Uint8Array[] = [];
  let onArrival = () => {};
  let sent = 0;
  let senders: (() => void)[] = [];
  const free = () => {
    for (const sender of senders) sender();
    senders = [];
  };
  return {
    messages,
    waitForMessage: () => new Promise((resolve) => (onArrival = resolve)),
    async waitForCapacity() {
      // Yields regularly: two ends that only exchange messages would starve everything else.
      if (++sent % MAX_QUEUED === 0) await new Promise(setImmediate);
      if (messages.length >= MAX_QUEUED) await new Promise<void>((resolve) => senders.push(resolve));
    },
    notifyReceiver: () => onArrival(),
    notifySenders() {
      if (messages.length < MAX_QUEUED) free();
    },
    close() {
      onArrival();
      free();
    },
  };
}
