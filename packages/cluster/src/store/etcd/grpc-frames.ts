/** A flag and the length of the message. */
const PREFIX_BYTES = 5;
const COMPRESSED = 1;
/** The limit of kube-apiserver for messages of etcd. */
const MAX_MESSAGE_BYTES = 2 ** 31 - 1;

export function encodeGrpcFrame(message: Uint8Array): Buffer {
  const bytes = Buffer.alloc(PREFIX_BYTES + message.length);
  bytes.writeUInt32BE(message.length, 1);
  bytes.set(message, PREFIX_BYTES);
  return bytes;
}

/**
 * Creates a reader that reassembles messages from chunks, in linear time. Throws an Error for a frame that no etcd sends: the connection is of no
 * use any more.
 */
export function createGrpcFrameReader(received: (message: Buffer) => void): (chunk: Buffer) => void {
  let pieces: Buffer[] = [];
  let receivedBytes = 0;
  let neededBytes = PREFIX_BYTES;
  return (chunk) => {
    pieces.push(chunk);
    receivedBytes += chunk.length;
    if (receivedBytes < neededBytes) return;
    const bytes = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
    let at = 0;
    neededBytes = PREFIX_BYTES;
    while (bytes.length - at >= PREFIX_BYTES) {
      const length = readLength(bytes, at);
      if (bytes.length - at < PREFIX_BYTES + length) {
        neededBytes = PREFIX_BYTES + length;
        break;
      }
      received(bytes.subarray(at + PREFIX_BYTES, at + PREFIX_BYTES + length));
      at += PREFIX_BYTES + length;
    }
    pieces = at === bytes.length ? [] : [bytes.subarray(at)];
    receivedBytes = bytes.length - at;
  };
}

function readLength(bytes: Buffer, at: number): number {
  if (bytes[at] === COMPRESSED) throw new Error("a compressed message, which was not asked for");
  if (bytes[at] !== 0) throw new Error(`a message with the unknown flags ${bytes[at]}`);
  const length = bytes.readUInt32BE(at + 1);
  if (length > MAX_MESSAGE_BYTES) throw new Error(`a message of ${length} bytes`);
  return length;
}
