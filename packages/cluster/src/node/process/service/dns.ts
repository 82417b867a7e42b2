import dgram from "node:dgram";
import net from "node:net";
import type { Directory } from "./directory.ts";
import { A, answer, NO_ERROR, NO_SUCH_NAME, question } from "./dns-message.ts";

const PORT = 53;
const DOMAIN = ".svc.cluster.local";
/** More do not fit into one datagram; who wants all asks over TCP. */
const MOST = 28;

/** Tells pods where services and their pods are: names under cluster.local, and no others. */
export async function dns(address: string, directory: Directory): Promise<{ stop(): Promise<void> }> {
  const respond = (message: Buffer, most: number): Buffer | undefined => {
    const asked = question(message);
    if (asked === undefined) return undefined;
    const found = resolve(asked.name);
    if (found === undefined) return answer(asked, NO_SUCH_NAME, []);
    return answer(asked, NO_ERROR, asked.type === A ? found.filter((each) => net.isIPv4(each)).slice(0, most) : []);
  };
  const resolve = (name: string): readonly string[] | undefined => {
    const [, dashed] = /^(\d+-\d+-\d+-\d+)\.[a-z0-9-]+\.pod\.cluster\.local$/.exec(name) ?? [];
    if (dashed !== undefined) return [dashed.replaceAll("-", ".")];
    return name.endsWith(DOMAIN) ? directory.lookup(name, "") : undefined;
  };

  const datagrams = dgram.createSocket("udp4");
  datagrams.on("message", (message, { address: from, port }) => {
    const reply = respond(message, MOST);
    if (reply !== undefined) datagrams.send(reply, port, from, () => {});
  });
  datagrams.on("error", () => {});
  const streams = net.createServer((socket) => {
    let rest: Buffer = Buffer.alloc(0);
    socket.on("error", () => socket.destroy());
    socket.on("data", (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= 2 && rest.length >= 2 + rest.readUInt16BE(0)) {
        const reply = respond(rest.subarray(2, 2 + rest.readUInt16BE(0)), 1000);
        rest = rest.subarray(2 + rest.readUInt16BE(0));
        if (reply === undefined) return void socket.destroy();
        const length = Buffer.alloc(2);
        length.writeUInt16BE(reply.length, 0);
        socket.write(Buffer.concat([length, reply]));
      }
    });
  });
  await new Promise<void>((done, failed) => {
    datagrams.once("error", failed);
    datagrams.bind(PORT, address, done);
  });
  await new Promise<void>((done, failed) => {
    streams.once("error", failed);
    streams.listen(PORT, address, () => done());
  });
  datagrams.unref();
  streams.unref();
  return {
    async stop() {
      datagrams.close();
      await new Promise<void>((done) => streams.close(() => done()));
    },
  };
}
