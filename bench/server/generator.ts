import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { built } from "../peers/built.ts";

/** Where a server is and who we are to it; PEM. */
export interface Target {
  readonly server: string;
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

/** HTTP/2 is what client-go and kubectl speak, HTTP/1.1 what most others do. */
export type Protocol = "h1" | "h2";

/** In milliseconds, and CPU seconds of the generator itself. */
export interface Created {
  readonly Requests: number;
  readonly Seconds: number;
  readonly P50: number;
  readonly P99: number;
  readonly Max: number;
  readonly Cpu: number;
}
export interface Watched extends Omit<Created, "Requests"> {
  readonly Writes: number;
  readonly LagP50: number;
  readonly LagP99: number;
  readonly Events: number;
  readonly Wrong: number;
  /** What was wrong with the first of them. */
  readonly Fault: string;
  readonly Behind: number;
}
export interface Listed {
  readonly Milliseconds: readonly number[];
  readonly Bytes: number;
  readonly ContentType: string;
  readonly Cpu: number;
}

interface Write {
  readonly protocol: Protocol;
  readonly path: string;
  /** JSON in which #### stands for a number. */
  readonly body: string;
  readonly first: number;
}
interface Watch extends Write {
  readonly seconds: number;
  readonly rate: number;
  readonly watchers: number;
  readonly connections: number;
}
export interface Generator {
  /** Asks a webhook: for a time, so many at once, or, with a rate, so many a second. */
  admit(order: Write & { readonly concurrency: number; readonly seconds: number; readonly rate: number }): Promise<Created>;
  /** For a time, or so many. */
  create(order: Write & { readonly concurrency: number } & ({ readonly seconds: number } | { readonly count: number })): Promise<Created>;
  watch(order: Watch): Promise<Watched>;
  list(order: {
    readonly protocol: Protocol;
    readonly path: string;
    readonly accept: string;
    readonly gzip: boolean;
    readonly times: number;
  }): Promise<Listed>;
  stop(): void;
}

/** The load generator in bench/peers/load; it costs a server nothing but requests. */
export async function generators(): Promise<{ to(target: Target): Generator }> {
  const { commands, missing } = await built(["load"]);
  const [binary] = commands.get("load") ?? [];
  if (binary === undefined) throw new Error(`nothing can be measured without the load generator, which ${missing["load"]}`);
  return { to: (target) => generator(binary, target) };
}

function generator(binary: string, target: Target): Generator {
  const child = spawn(binary, [], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const send = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`);
  send(target);
  const carryOut = async (order: object) => {
    send(order);
    const { value, done } = await lines.next();
    if (done) throw new Error("the load generator ended");
    const answer = JSON.parse(value as string) as { readonly error?: string };
    if (answer.error !== undefined) throw new Error(`the load generator: ${answer.error}`);
    return answer as unknown;
  };
  return {
    admit: (order) => carryOut({ do: "admit", ...order }) as Promise<Created>,
    create: (order) => carryOut({ do: "create", ...order }) as Promise<Created>,
    watch: (order) => carryOut({ do: "watch", ...order }) as Promise<Watched>,
    list: (order) => carryOut({ do: "list", ...order }) as Promise<Listed>,
    stop: () => void child.stdin.end(),
  };
}
