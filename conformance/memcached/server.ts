import net from "node:net";

export interface Server {
  readonly host: string;
  readonly port: number;
}

const PATIENCE = 5_000;

/** One command of memcached's text protocol, and the answer up to the word that ends it. */
function ask({ host, port }: Server, command: string, end: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ host, port, timeout: PATIENCE }, () => socket.write(command));
    let said = "";
    socket.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      if (!end.test(said)) return;
      resolve(said);
      socket.end();
    });
    socket.once("timeout", () => socket.destroy(new Error(`${host}:${port} does not answer ${JSON.stringify(command)}`)));
    socket.once("error", reject);
    socket.once("close", () => reject(new Error(`${host}:${port} hung up after ${JSON.stringify(said)}`)));
  });
}

export async function remember(server: Server, key: string, value: string): Promise<void> {
  await ask(server, `set ${key} 0 0 ${value.length}\r\n${value}\r\n`, /^STORED\r\n$/);
}

/** Undefined: it does not know. */
export async function recall(server: Server, key: string): Promise<string | undefined> {
  const answer = await ask(server, `get ${key}\r\n`, /(^|\r\n)END\r\n$/);
  return /^VALUE \S+ \d+ \d+\r\n(.*)\r\nEND/.exec(answer)?.[1];
}

/** What it says about itself: "version", "limit_maxbytes", "pid" ... */
export async function statsOf(server: Server): Promise<ReadonlyMap<string, string>> {
  const answer = await ask(server, "stats\r\n", /(^|\r\n)END\r\n$/);
  return new Map([...answer.matchAll(/^STAT (\S+) (.*?)\r$/gm)].map(([, name = "", value = ""]) => [name, value]));
}

const VALUE = "x".repeat(1_000);

/** Puts so many items of a kilobyte into it. */
export async function fill(server: Server, items: number): Promise<void> {
  const sets = Array.from({ length: items }, (_, i) => `set filler-${i} 0 0 ${VALUE.length} noreply\r\n${VALUE}\r\n`);
  await ask(server, `${sets.join("")}version\r\n`, /VERSION .*\r\n$/);
}

/** Takes them out again. */
export async function empty(server: Server, items: number): Promise<void> {
  const deletes = Array.from({ length: items }, (_, i) => `delete filler-${i} noreply\r\n`);
  await ask(server, `${deletes.join("")}version\r\n`, /VERSION .*\r\n$/);
}
