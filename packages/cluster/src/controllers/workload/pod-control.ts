import { type Client, Forbidden, NotFound, RequestError } from "pintle/client";
import type { RecordEvent } from "pintle/internal/controller";
import type { KindInfo, Metadata } from "pintle/kinds";
import { Pod, type PodTemplateSpec } from "pintle/kinds/core/v1";
import { FIELD_MANAGER } from "../field-manager.ts";
import { buildControllerRef } from "../shared/owner-reference.ts";

export interface PodControl {
  create(owner: { readonly metadata: Metadata }, template: PodTemplateSpec | undefined, overrides?: PodOverrides): Promise<Pod>;
  delete(pod: Pod): Promise<void>;
}
export interface PodOverrides {
  readonly name?: string | undefined;
  /** Default: the owner's name and a hyphen. */
  readonly generateName?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly finalizers?: readonly string[] | undefined;
  readonly spec?: Pod["spec"] | undefined;
}

/** Creates and deletes the pods of an owner and records events about it. */
export function createPodControl(client: Pick<Client, "create" | "delete">, kind: KindInfo, event: RecordEvent): PodControl {
  return {
    async create(owner, template, { name, generateName, labels, annotations, finalizers, spec } = {}) {
      const { metadata } = template ?? {};
      try {
        const pod = await client.create(
          Pod,
          {
            metadata: {
              ...(name === undefined ? { generateName: generateName ?? `${owner.metadata.name}-` } : { name }),
              namespace: owner.metadata.namespace ?? "",
              labels: labels === undefined ? metadata?.labels : { ...metadata?.labels, ...labels },
              annotations: annotations === undefined ? metadata?.annotations : { ...metadata?.annotations, ...annotations },
              finalizers: finalizers ?? metadata?.finalizers,
              ownerReferences: [buildControllerRef(kind, owner)],
            },
            spec: spec ?? template?.spec ?? { containers: [] },
          },
          FIELD_MANAGER,
        );
        event("SuccessfulCreate", `Created pod: ${pod.metadata.name}`);
        return pod;
      } catch (error) {
        // No event in a terminating namespace.
        if (!isNamespaceTerminating(error)) event("FailedCreate", `Error creating: ${getErrorMessage(error)}`, { type: "Warning" });
        throw error;
      }
    },
    async delete({ metadata: { name, namespace, uid } }) {
      try {
        await client.delete(Pod, { name, namespace }, { uid });
        event("SuccessfulDelete", `Deleted pod: ${name}`);
      } catch (error) {
        if (error instanceof NotFound) return;
        event("FailedDelete", `Error deleting: ${getErrorMessage(error)}`, { type: "Warning" });
        throw error;
      }
    },
  };
}

export function isNamespaceTerminating(error: unknown): boolean {
  return error instanceof Forbidden && /because it is being terminated/.test(error.message);
}

/** Returns the message of the API server. */
export function getErrorMessage(error: unknown): string {
  return error instanceof RequestError ? (error.status?.message ?? error.message) : String(error);
}
