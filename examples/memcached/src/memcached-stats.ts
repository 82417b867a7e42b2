import net from "node:net";

const STATS_TIMEOUT_MS = 2_000;

/** Statistics of a server, by their memcached names. */
export type Stats = ReadonlyMap<string, number>;

/** Sends `stats` over the memcached text protocol. Resolves with undefined if the server does not respond. */
export function fetchStats(host: string, port: number, signal: AbortSignal): Promise<Stats | undefined> {
  return new Promise((resolve) => {
    const socket = net.connect({ host, port, signal, timeout: STATS_TIMEOUT_MS }, () => socket.write("stats\r\n"));
    let response = "";
    socket.setEncoding("utf8").on("data", (text: string) => {
      response += text;
      if (response.endsWith("END\r\n")) socket.end("quit\r\n");
    });
    socket.on("timeout", () => socket.destroy());
    socket.on("error", () => socket.destroy());
    socket.on("close", () => resolve(response.endsWith("END\r\n") ? parseStats(response) : undefined));
  });
}

function parseStats(response: string): Stats {
  return new Map([...response.matchAll(/^STAT (\w+) ([\d.]+)\r$/gm)].map(([, name = "", value]) => [name, Number(value)]));
}
