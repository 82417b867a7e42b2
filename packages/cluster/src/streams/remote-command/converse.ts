import type { Session, SessionEnd, SessionOptions } from "../../node/index.ts";
import type { Output, RemoteEnd } from "./remote-end.ts";
import { type Doing, finalStatus } from "./status.ts";

/** Brings a session and whoever asked for it together, until one of them is done. Never rejects. */
export async function converse(remote: RemoteEnd, session: Session, options: SessionOptions, doing: Doing): Promise<void> {
  const pump = async (output: Output, from: AsyncIterable<Uint8Array>) => {
    try {
      for await (const chunk of from) await remote.write(output, chunk);
    } catch {
      session.close();
    }
  };
  const hearing = remote
    .hear({
      input: (chunk) => (options.stdin ? session.write(chunk) : Promise.resolve()),
      endInput: () => session.endInput(),
      resize: (size) => session.resize(size),
    })
    .finally(() => session.close());
  const outputs = [
    ...(options.stdout ? [pump("stdout", session.stdout)] : []),
    ...(options.stderr && !options.tty ? [pump("stderr", session.stderr)] : []),
  ];
  const end = await session.end.catch(
    (reason: unknown): SessionEnd => ({ error: reason instanceof Error ? reason.message : String(reason) }),
  );
  await Promise.all(outputs);
  await remote.finish(finalStatus(end, doing)).catch(() => {});
  await hearing;
}
