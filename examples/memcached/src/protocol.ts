import net from "node:net";

/** Longer than any server that works takes for a line about itself. */
const PATIENCE = 2_000;

/** A server's own numbers, by its own names. */
export type Stats = ReadonlyMap<string, number>;

/** Asks a memcached server about itself, in its text protocol; undefined: it does not answer. */
export function statsOf(host: string, port: number, signal: AbortSignal): Promise<Stats | undefined> {
  return new Promise((resolve) => {
    const socket = net.connect({ host, port, signal, timeout: PATIENCE }, () => socket.write("stats\r\n"));
    let said = "";
    socket.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      if (said.endsWith("END\r\n")) socket.end("quit\r\n");
    });
    socket.on("timeout", () => socket.destroy());
    socket.on("error", () => socket.destroy());
    socket.on("close", () => resolve(said.endsWith("END\r\n") ? numbers(said) : undefined));
  });
}

function numbers(said: string): Stats {
  return new Map([...said.matchAll(/^STAT (\w+) ([\d.]+)\r$/gm)].map(([, name = "", value]) => [name, Number(value)]));
}
