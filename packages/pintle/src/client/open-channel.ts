import type { Channel, ChannelRequest, Transport } from "./transport.ts";

export async function openChannel(transport: Transport, request: ChannelRequest): Promise<Channel> {
  request.signal?.throwIfAborted();
  if (transport.open === undefined) throw new TypeError(`this transport has no two-way connections, which ${request.path} needs`);
  return await transport.open(request);
}
