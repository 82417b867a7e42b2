import { type Client, Forbidden, NotFound, RequestError } from "pintle/client";
import type { Announce } from "pintle/controller";
import type { KindFacts, Metadata } from "pintle/kinds";
import { Pod, type PodTemplateSpec } from "pintle/kinds/core/v1";
import { MANAGED } from "./managed.ts";
import { controlledBy } from "./owner.ts";

export interface PodControl {
  create(owner: { readonly metadata: Metadata }, template: PodTemplateSpec | undefined, more?: PodFeatures): Promise<Pod>;
  delete(pod: Pod): Promise<void>;
}
export interface PodFeatures {
  readonly name?: string | undefined;
  /** Instead of the owner's name and a hyphen. */
  readonly prefix?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly finalizers?: readonly string[] | undefined;
  readonly spec?: Pod["spec"] | undefined;
}

/** Makes and deletes an owner's pods, and says so in events about the owner. */
export function podControl(client: Pick<Client, "create" | "delete">, kind: KindFacts, event: Announce): PodControl {
  return {
    async create(owner, template, { name, prefix, labels, annotations, finalizers, spec } = {}) {
      const { metadata } = template ?? {};
      try {
        const pod = await client.create(
          Pod,
          {
            metadata: {
              ...(name === undefined ? { generateName: prefix ?? `${owner.metadata.name}-` } : { name }),
              namespace: owner.metadata.namespace ?? "",
              labels: labels === undefined ? metadata?.labels : { ...metadata?.labels, ...labels },
              annotations: annotations === undefined ? metadata?.annotations : { ...metadata?.annotations, ...annotations },
              finalizers: finalizers ?? metadata?.finalizers,
              ownerReferences: [controlledBy(kind, owner)],
            },
            spec: spec ?? template?.spec ?? { containers: [] },
          },
          MANAGED,
        );
        event("SuccessfulCreate", `Created pod: ${pod.metadata.name}`);
        return pod;
      } catch (error) {
        // In a namespace that is going there is nothing to say.
        if (!isNamespaceGoing(error)) event("FailedCreate", `Error creating: ${textOf(error)}`, { type: "Warning" });
        throw error;
      }
    },
    async delete({ metadata: { name, namespace, uid } }) {
      try {
        await client.delete(Pod, { name, namespace }, { uid });
        event("SuccessfulDelete", `Deleted pod: ${name}`);
      } catch (error) {
        if (error instanceof NotFound) return;
        event("FailedDelete", `Error deleting: ${textOf(error)}`, { type: "Warning" });
        throw error;
      }
    },
  };
}

export function isNamespaceGoing(error: unknown): boolean {
  return error instanceof Forbidden && /because it is being terminated/.test(error.message);
}

/** What the server said. */
export function textOf(error: unknown): string {
  return error instanceof RequestError ? (error.status?.message ?? error.message) : String(error);
}
