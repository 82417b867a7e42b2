import dgram from "node:dgram";
import net from "node:net";
import { buildDnsResponse, parseDnsQuestion, RCODE_NO_ERROR, RCODE_NXDOMAIN, TYPE_A } from "./dns-message.ts";
import type { ServiceDirectory } from "./service-directory.ts";

const PORT = 53;
const DOMAIN = ".svc.cluster.local";
/** More records do not fit into a datagram; clients retry over TCP for all of them. */
const MAX_UDP_RECORDS = 28;

/** Starts the DNS server for Services and pods: names under cluster.local only. */
export async function startDnsServer(address: string, directory: ServiceDirectory): Promise<{ stop(): Promise<void> }> {
  const respond = (message: Buffer, most: number): Buffer | undefined => {
    const question = parseDnsQuestion(message);
    if (question === undefined) return undefined;
    const addresses = resolve(question.name);
    if (addresses === undefined) return buildDnsResponse(question, RCODE_NXDOMAIN, []);
    return buildDnsResponse(
      question,
      RCODE_NO_ERROR,
      question.type === TYPE_A ? addresses.filter((each) => net.isIPv4(each)).slice(0, most) : [],
    );
  };
  const resolve = (name: string): readonly string[] | undefined => {
    const [, podAddress] = /^(\d+-\d+-\d+-\d+)\.[a-z0-9-]+\.pod\.cluster\.local$/.exec(name) ?? [];
    if (podAddress !== undefined) return [podAddress.replaceAll("-", ".")];
    return name.endsWith(DOMAIN) ? directory.resolveName(name, "") : undefined;
  };

  const datagrams = dgram.createSocket("udp4");
  datagrams.on("message", (message, { address: from, port }) => {
    const response = respond(message, MAX_UDP_RECORDS);
    if (response !== undefined) datagrams.send(response, port, from, () => {});
  });
  datagrams.on("error", () => {});
  const streams = net.createServer((socket) => {
    let rest: Buffer = Buffer.alloc(0);
    socket.on("error", () => socket.destroy());
    socket.on("data", (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= 2 && rest.length >= 2 + rest.readUInt16BE(0)) {
        const response = respond(rest.subarray(2, 2 + rest.readUInt16BE(0)), 1000);
        rest = rest.subarray(2 + rest.readUInt16BE(0));
        if (response === undefined) return void socket.destroy();
        const length = Buffer.alloc(2);
        length.writeUInt16BE(response.length, 0);
        socket.write(Buffer.concat([length, response]));
      }
    });
  });
  await new Promise<void>((done, failed) => {
    datagrams.once("error", failed);
    datagrams.bind(PORT, address, done);
  });
  await new Promise<void>((done, failed) => {
    // Stays: an error event without a listener, such as a connection that cannot be accepted, would end the process.
    streams.on("error", failed);
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
