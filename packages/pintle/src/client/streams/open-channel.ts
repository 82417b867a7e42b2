import { InvalidArgumentError } from "../../errors/index.ts";
import type { ChannelRequest, DuplexChannel, Transport } from "../transport.ts";

/** Opens a channel of the transport. Throws if the transport has none. */
export async function openChannel(transport: Transport, request: ChannelRequest): Promise<DuplexChannel> {
  request.signal?.throwIfAborted();
  if (transport.open === undefined)
    throw new InvalidArgumentError("PINTLE1057", `the transport does not support streaming connections, which ${request.path} requires`);
  return await transport.open(request);
}
