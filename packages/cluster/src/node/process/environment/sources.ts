import { type Client, NotFound } from "pintle/client";
import { ConfigMap, Secret } from "pintle/kinds/core/v1";
import { ConfigProblem } from "./problem.ts";

/** What ConfigMaps and Secrets hold, as bytes; undefined for one that is not there. */
export interface Sources {
  configMap(namespace: string, name: string): Promise<Readonly<Record<string, Buffer>> | undefined>;
  secret(namespace: string, name: string): Promise<Readonly<Record<string, Buffer>> | undefined>;
}

export function sources(client: Client): Sources {
  return {
    async configMap(namespace, name) {
      const found = await orNothing(client.get(ConfigMap, { namespace, name }));
      if (found === undefined) return undefined;
      const texts = entries(found.data, (value) => Buffer.from(value));
      return { ...texts, ...entries(found.binaryData, (value) => Buffer.from(value, "base64")) };
    },
    async secret(namespace, name) {
      const found = await orNothing(client.get(Secret, { namespace, name }));
      return found === undefined ? undefined : entries(found.data, (value) => Buffer.from(value, "base64"));
    },
  };
}

async function orNothing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof NotFound) return undefined;
    throw error;
  }
}

const entries = (map: Readonly<Record<string, string>> | undefined, bytes: (value: string) => Buffer) =>
  Object.fromEntries(Object.entries(map ?? {}).map(([key, value]) => [key, bytes(value)]));

export const missing = (what: "configmap" | "secret", name: string) => new ConfigProblem(`${what} "${name}" not found`);
