import { type Client, NotFound } from "pintle/client";
import { ConfigMap, Secret } from "pintle/kinds/core/v1";

/** Why a container cannot be configured: the message of `CreateContainerConfigError`. */
export class ContainerConfigError extends Error {}

/** Reads ConfigMaps and Secrets as bytes; undefined if an object does not exist. */
export interface ConfigSources {
  configMap(namespace: string, name: string): Promise<Readonly<Record<string, Buffer>> | undefined>;
  secret(namespace: string, name: string): Promise<Readonly<Record<string, Buffer>> | undefined>;
}

export function createConfigSources(client: Client): ConfigSources {
  return {
    async configMap(namespace, name) {
      const object = await ignoreNotFound(client.get(ConfigMap, { namespace, name }));
      if (object === undefined) return undefined;
      const texts = mapValues(object.data, (value) => Buffer.from(value));
      return { ...texts, ...mapValues(object.binaryData, (value) => Buffer.from(value, "base64")) };
    },
    async secret(namespace, name) {
      const object = await ignoreNotFound(client.get(Secret, { namespace, name }));
      return object === undefined ? undefined : mapValues(object.data, (value) => Buffer.from(value, "base64"));
    },
  };
}

async function ignoreNotFound<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof NotFound) return undefined;
    throw error;
  }
}

const mapValues = (map: Readonly<Record<string, string>> | undefined, bytes: (value: string) => Buffer) =>
  Object.fromEntries(Object.entries(map ?? {}).map(([key, value]) => [key, bytes(value)]));

export const notFoundError = (kind: "configmap" | "secret", name: string) => new ContainerConfigError(`${kind} "${name}" not found`);
