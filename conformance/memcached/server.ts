import net from "node:net";

export interface MemcachedServer {
  readonly host: string;
  readonly port: number;
}

const PATIENCE = 5_000;

/** Sends one command of memcached's text protocol; resolves to the response up to the terminating word. */
function sendCommand({ host, port }: MemcachedServer, command: string, end: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ host, port, timeout: PATIENCE }, () => socket.write(command));
    let received = "";
    socket.on("data", (chunk: Buffer) => {
      received += chunk.toString();
      if (!end.test(received)) return;
      resolve(received);
      socket.end();
    });
    socket.once("timeout", () => socket.destroy(new Error(`${host}:${port} does not respond to ${JSON.stringify(command)}`)));
    socket.once("error", reject);
    socket.once("close", () => reject(new Error(`${host}:${port} closed the connection after ${JSON.stringify(received)}`)));
  });
}

export async function setItem(server: MemcachedServer, key: string, value: string): Promise<void> {
  await sendCommand(server, `set ${key} 0 0 ${value.length}\r\n${value}\r\n`, /^STORED\r\n$/);
}

/** Resolves to undefined if the server does not have the key. */
export async function getItem(server: MemcachedServer, key: string): Promise<string | undefined> {
  const answer = await sendCommand(server, `get ${key}\r\n`, /(^|\r\n)END\r\n$/);
  return /^VALUE \S+ \d+ \d+\r\n(.*)\r\nEND/.exec(answer)?.[1];
}

/** Reads the server's statistics: "version", "limit_maxbytes", "pid" ... */
export async function readStats(server: MemcachedServer): Promise<ReadonlyMap<string, string>> {
  const answer = await sendCommand(server, "stats\r\n", /(^|\r\n)END\r\n$/);
  return new Map([...answer.matchAll(/^STAT (\S+) (.*?)\r$/gm)].map(([, name = "", value = ""]) => [name, value]));
}

const VALUE = "x".repeat(1_000);

/** Sets `items` items of one kilobyte. */
export async function setItems(server: MemcachedServer, items: number): Promise<void> {
  const sets = Array.from({ length: items }, (_, i) => `set filler-${i} 0 0 ${VALUE.length} noreply\r\n${VALUE}\r\n`);
  await sendCommand(server, `${sets.join("")}version\r\n`, /VERSION .*\r\n$/);
}

/** Deletes them again. */
export async function deleteItems(server: MemcachedServer, items: number): Promise<void> {
  const deletes = Array.from({ length: items }, (_, i) => `delete filler-${i} noreply\r\n`);
  await sendCommand(server, `${deletes.join("")}version\r\n`, /VERSION .*\r\n$/);
}
