import { isDeepStrictEqual } from "node:util";
import type { Random } from "pintle/internal/clock";
import type { SendHttpsRequest } from "../../packages/cluster/test/store/https-requester.ts";

const PATH = "/api/v1/namespaces/default/configmaps";

/** A writer of one object: the last acknowledged state, and the write in flight when the server was killed. */
export interface ObjectWriter {
  readonly name: string;
  /** As the server returned it; undefined: the object does not exist. */
  acknowledged: object | undefined;
  /** A write that got no response and may or may not be stored. `null`: a delete. */
  unacknowledged: Readonly<Record<string, string>> | null | undefined;
  /** Numbers the writes, so that no two are equal. */
  count: number;
}

export const createWriter = (name: string): ObjectWriter => ({ name, acknowledged: undefined, unacknowledged: undefined, count: 0 });

/** Writes until the server is killed; each write waits for the response to the previous one. Returns how many were acknowledged. */
export async function writeUntilKilled(send: SendHttpsRequest, writer: ObjectWriter, random: Random): Promise<number> {
  for (let done = 0; ; done++) {
    const data = { count: String(writer.count++), filling: "x".repeat(random() < 0.1 ? 200_000 : random() * 500) };
    const step = writer.acknowledged === undefined ? "POST" : random() < 0.2 ? "DELETE" : "PUT";
    writer.unacknowledged = step === "DELETE" ? null : data;
    const object = { metadata: { name: writer.name }, data };
    let answer: Awaited<ReturnType<SendHttpsRequest>>;
    try {
      answer = await send(step, step === "POST" ? PATH : `${PATH}/${writer.name}`, step === "DELETE" ? undefined : object);
    } catch {
      return done;
    }
    if (answer.status !== (step === "POST" ? 201 : 200)) throw new Error(`${step} ${writer.name}: ${JSON.stringify(answer)}`);
    writer.acknowledged = step === "DELETE" ? undefined : answer.body;
    writer.unacknowledged = undefined;
  }
}

/** Describes how the stored object differs from what the writer knows; undefined: not at all. The stored object becomes the known state. */
export function findProblem(writer: ObjectWriter, found: { readonly data?: unknown } | undefined): string | undefined {
  const { acknowledged, unacknowledged } = writer;
  const text = (value: unknown) => JSON.stringify(value ?? null);
  const isAcknowledged = isDeepStrictEqual(found, acknowledged);
  const isAsked =
    unacknowledged !== undefined && (unacknowledged === null ? found === undefined : isDeepStrictEqual(found?.data, unacknowledged));
  writer.acknowledged = found;
  writer.unacknowledged = undefined;
  if (isAcknowledged || isAsked) return undefined;
  return `${writer.name}: ${text(found).slice(0, 300)} is stored, ${text(acknowledged).slice(0, 300)} was acknowledged, ${text(unacknowledged)?.slice(0, 100)} was in flight`;
}
