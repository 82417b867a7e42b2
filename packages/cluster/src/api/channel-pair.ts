import { type Channel, ConnectionError } from "pintle/client";

/** Two ends of one two-way connection in this process: what one sends, the other hears. */
export function channelPair(protocol: string, request: string, signal: AbortSignal): readonly [Channel, Channel] {
  const [there, back] = [lane(), lane()];
  const state: { over?: { readonly error?: unknown } } = {};
  const end = (how: { readonly error?: unknown } = {}) => {
    state.over ??= how;
    for (const each of [there, back]) each.wake();
  };
  const aborted = () => end({ error: signal.reason });
  signal.addEventListener("abort", aborted, { once: true });
  if (signal.aborted) aborted();

  const side = (out: Lane, inn: Lane): Channel => ({
    protocol,
    async send(message) {
      if (state.over !== undefined) throw new ConnectionError({ message: `${request}: the two-way connection is closed`, request }, true);
      out.messages.push(message);
      out.arrive();
      await out.taken();
    },
    async *messages() {
      try {
        for (;;) {
          const message = inn.messages.shift();
          if (message !== undefined) {
            inn.room();
            yield message;
          } else if (state.over === undefined) await inn.arrival();
          else if ("error" in state.over) throw state.over.error;
          else return;
        }
      } finally {
        end();
      }
    },
    close() {
      signal.removeEventListener("abort", aborted);
      end();
    },
  });
  return [side(there, back), side(back, there)];
}

/** So many messages may wait before whoever sends has to. */
const AHEAD = 16;

interface Lane {
  readonly messages: Uint8Array[];
  arrival(): Promise<void>;
  taken(): Promise<void>;
  /** Whoever waits for a message looks. */
  arrive(): void;
  /** Whoever waits to send may, if enough was taken. */
  room(): void;
  /** It is over: nobody waits any more. */
  wake(): void;
}

function lane(): Lane {
  const messages: Uint8Array[] = [];
  let arrived = () => {};
  let sent = 0;
  let senders: (() => void)[] = [];
  const free = () => {
    for (const sender of senders) sender();
    senders = [];
  };
  return {
    messages,
    arrival: () => new Promise((resolve) => (arrived = resolve)),
    async taken() {
      // Two who wait for nothing but each other would leave no time to anybody else.
      if (++sent % AHEAD === 0) await new Promise(setImmediate);
      if (messages.length >= AHEAD) await new Promise<void>((resolve) => senders.push(resolve));
    },
    arrive: () => arrived(),
    room() {
      if (messages.length < AHEAD) free();
    },
    wake() {
      arrived();
      free();
    },
  };
}
